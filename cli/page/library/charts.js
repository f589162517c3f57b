// SPDX-License-Identifier: Apache-2.0
// What of Apache ECharts a report's page uses, for esbuild to make one file of.
export { init, version } from "echarts/core";
import { use } from "echarts/core";
import { LineChart, ParallelChart, ScatterChart } from "echarts/charts";
import { AriaComponent, GridComponent, ParallelComponent, TooltipComponent } from "echarts/components";
import { SVGRenderer } from "echarts/renderers";
use([LineChart, ParallelChart, ScatterChart, AriaComponent, GridComponent, ParallelComponent, TooltipComponent, SVGRenderer]);
