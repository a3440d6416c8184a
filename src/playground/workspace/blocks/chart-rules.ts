/** Charts of the data visualization block. https://docs.slack.dev/reference/block-kit/blocks */
import { toRecords } from '../json-value.ts';
import { LIMITS } from './limits.ts';
import { about, any, byType, list, num, type Rule, shape, str } from './rules.ts';

const label = str(LIMITS.chartLabel);

const pie = shape({
  required: {
    type: any,
    segments: list(LIMITS.chartSeries, shape({ required: { label, value: num } })),
  },
  whole: about(({ segments }, pointer, report) => {
    for (const [index, { value }] of toRecords(segments).entries()) {
      if (typeof value === 'number' && value <= 0) {
        report(`${pointer}/segments/${index}/value`, 'out_of_range', 'must be more than 0');
      }
    }
  }),
});

const onAxes = shape({
  required: {
    type: any,
    series: list(
      LIMITS.chartSeries,
      shape({
        required: {
          name: label,
          data: list(LIMITS.chartPoints, shape({ required: { label, value: num } })),
        },
      }),
    ),
    axis_config: shape({
      required: { categories: list(LIMITS.chartPoints, label) },
      optional: { x_label: str(LIMITS.chartTitle), y_label: str(LIMITS.chartTitle) },
    }),
  },
});

/** Any chart. */
export const CHART: Rule = byType({ pie, bar: onAxes, line: onAxes, area: onAxes });
