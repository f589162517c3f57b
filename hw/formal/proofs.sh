# SPDX-License-Identifier: Apache-2.0
# The list of proofs and mutants that prove.sh runs, block by block.
for depth in 1 2 3 4; do
  prove fifo fifo "Depth=$depth" 10 2
done
mutant fifo fifo "Depth=3" 10 fifo "s/assign push_ready_o = .*/assign push_ready_o = 1'b1;/"
mutant fifo fifo "Depth=3" 10 fifo "s/(head_q == PtrBits'(Depth - 1)) ? '0/(head_q == PtrBits'(Depth - 2)) ? '0/"

for capacity in 1 2 3 7 8; do
  prove token_queue "token_queue issue" "Capacity=$capacity" 20 2
done
mutant token_queue "token_queue issue" "Capacity=3" 10 token_queue "s/assign place_o .*/assign place_o = 1'b1;/"
mutant token_queue "token_queue issue" "Capacity=3" 10 token_queue "s/places_q + CountBits'(pop_i)/places_q + CountBits'(push_i)/"
mutant token_queue "token_queue issue" "Capacity=3" 10 issue "s/(pushes_i & ~places_i) == '0/1'b1/"

for shape in "PortBits=64 BurstBeats=16 LeftBits=16" "PortBits=8 BurstBeats=256 LeftBits=32" \
             "PortBits=128 BurstBeats=256 LeftBits=28" "PortBits=512 BurstBeats=7 LeftBits=26"; do
  prove burst_length burst_length "$shape" 2 1
done
mutant burst_length burst_length "" 2 burst_length "s/assign to_page .*/assign to_page = '1;/"
