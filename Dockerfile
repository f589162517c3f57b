# SPDX-License-Identifier: Apache-2.0
# cosim as an image: built on Debian 12 with the packages of scripts/setup, then the Debian package alone on a bare Debian.
#   docker build -t cosim .
#   docker run --rm -v "$PWD:/work" cosim run resnet18 --config=pynq.yaml
FROM debian:12 AS build
WORKDIR /src
COPY scripts/setup scripts/setup
RUN apt-get update && scripts/setup && rm -rf /var/lib/apt/lists/*
COPY . .
RUN scripts/build release cosim && cd build/release && cpack -G DEB

FROM debian:12-slim
COPY --from=build /src/build/release/cosim_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/cosim_*.deb && rm -rf /var/lib/apt/lists/* /tmp/cosim_*.deb
WORKDIR /work
ENTRYPOINT ["cosim"]
