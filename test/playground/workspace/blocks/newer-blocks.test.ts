/** Blocks that Slack allows only in some places: charts, contents of a container, and file inputs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  validateMessage,
  validateView,
} from '../../../../src/playground/workspace/blocks/validate-blocks.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const long = (length: number) => 'x'.repeat(length);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

const chartOf = (chart: object, title = 'Tickets') => ({
  type: 'data_visualization',
  title,
  chart,
});
const pie = (segments: number, changes: object = {}, title?: string) =>
  chartOf(
    {
      type: 'pie',
      segments: times(segments, (i) => ({ label: `${i}`, value: 1, ...changes })),
    },
    title,
  );
const line = (points: number, axes: object = {}) =>
  chartOf({
    type: 'line',
    series: [{ name: 'open', data: times(points, (i) => ({ label: `${i}`, value: i })) }],
    axis_config: { categories: times(Math.min(points, 20), (i) => `${i}`), ...axes },
  });
const container = (child: object, changes: object = {}) => ({
  type: 'container',
  title: plain('More'),
  child_blocks: [child],
  ...changes,
});
const section = { type: 'section', text: mrkdwn('x') };
const file = { type: 'file', external_id: 'f1', source: 'remote' };
const input = (element: object) => ({ type: 'input', label: plain('Label'), element });
const fileInput = input({ type: 'file_input', max_files: 1 });

const modalOf = (...blocks: object[]) => ({
  type: 'modal',
  title: plain('x'),
  submit: plain('Send'),
  blocks,
});
const homeOf = (...blocks: object[]) => ({ type: 'home', blocks });
const messagesOf = (problems: readonly { readonly message: string }[]) =>
  problems.map(({ message }) => message);

test('charts at their limits are accepted in messages and on Home', () => {
  const charts = [
    pie(12),
    pie(1, { label: long(20), value: 0.5 }, long(50)),
    line(20, { x_label: long(50), y_label: long(50) }),
  ];
  for (const chart of charts) {
    assert.deepEqual(validateMessage({ blocks: [chart, chart] }), []);
    assert.deepEqual(validateView(homeOf(chart)), []);
    assert.deepEqual(messagesOf(validateView(modalOf(chart))), [
      'unsupported type: data_visualization',
    ]);
  }
});

const CHILDREN: readonly object[] = [
  { type: 'actions', elements: [{ type: 'button', text: plain('Go') }] },
  { type: 'context', elements: [mrkdwn('x')] },
  { type: 'divider' },
  file,
  { type: 'header', text: plain('x') },
  { type: 'image', alt_text: 'x', image_url: 'https://example.com/x.png' },
  input({ type: 'plain_text_input' }),
  {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x' }] }],
  },
  section,
  { type: 'table', rows: [[{ type: 'raw_text', text: 'x' }]] },
  {
    type: 'video',
    video_url: 'https://example.com/v',
    thumbnail_url: 'https://example.com/t.png',
    alt_text: 'x',
    title: plain('x'),
  },
];

test('a container accepts every block that Slack documents for it', () => {
  for (const child of CHILDREN) {
    assert.deepEqual(validateMessage({ blocks: [container(child)] }), []);
  }
  const folds = { is_collapsible: true, default_collapsed: true };
  assert.deepEqual(validateMessage({ blocks: [container(section, folds)] }), []);
  const ruled = { is_collapsible: false, has_header_divider: true };
  assert.deepEqual(validateMessage({ blocks: [container(section, ruled)] }), []);
});

test('a file input is accepted in a modal', () => {
  assert.deepEqual(validateView(modalOf(fileInput)), []);
});

/** An error in a message or a view, and all messages that Slack would return. */
const WRONG: Readonly<Record<string, readonly [subject: object, ...says: string[]]>> = {
  'a chart of no kind': [{ blocks: [chartOf({ type: 'radar' })] }, 'unsupported type: radar'],
  'too many segments': [{ blocks: [pie(13)] }, 'no more than 12 items allowed'],
  'a segment of nothing': [{ blocks: [pie(1, { value: 0 })] }, 'must be more than 0'],
  'a segment that is no number': [{ blocks: [pie(1, { value: '1' })] }, 'must be a number'],
  'a segment with a long label': [
    { blocks: [pie(1, { label: long(21) })] },
    'must be less than 21 characters',
  ],
  'a chart with a long title': [
    { blocks: [pie(1, {}, long(51))] },
    'must be less than 51 characters',
  ],
  'too many points': [{ blocks: [line(21)] }, 'no more than 20 items allowed'],
  'an axis with a long label': [
    { blocks: [line(2, { x_label: long(51) })] },
    'must be less than 51 characters',
  ],
  'a line without axes': [
    {
      blocks: [
        chartOf({ type: 'line', series: [{ name: 'a', data: [{ label: 'b', value: 1 }] }] }),
      ],
    },
    'missing required field: axis_config',
  ],
  'three charts': [
    { blocks: times(3, () => pie(1)) },
    'no more than 2 data_visualization blocks allowed',
  ],
  'a container in a container': [
    { blocks: [container(container(section))] },
    'unsupported type: container',
  ],
  'a card in a container': [
    { blocks: [container({ type: 'card', title: mrkdwn('x') })] },
    'unsupported type: card',
  ],
  'Markdown in a container': [
    { blocks: [container({ type: 'markdown', text: 'x' })] },
    'unsupported type: markdown',
  ],
  'a chart in a container': [
    { blocks: [container(pie(1))] },
    'unsupported type: data_visualization',
  ],
  'a collapsible container with a header divider': [
    { blocks: [container(section, { is_collapsible: true, has_header_divider: true })] },
    'has_header_divider requires that it is not collapsible',
  ],
  'a file by itself': [{ blocks: [file] }, 'unsupported type: file'],
  'a file without its source': [
    { blocks: [container({ type: 'file', external_id: 'f1' })] },
    'missing required field: source',
  ],
  'a file input in a message': [{ blocks: [fileInput] }, 'unsupported type: file_input'],
  'a file input in a container': [
    { blocks: [container(fileInput)] },
    'unsupported type: file_input',
  ],
  'a file input on Home': [homeOf(fileInput), 'unsupported type: file_input'],
  'a file input with dispatch_action': [
    modalOf({ ...fileInput, dispatch_action: true }),
    'dispatch_action is not supported for file_input',
  ],
};

for (const [name, [subject, ...says]] of Object.entries(WRONG)) {
  test(`${name} is refused`, () => {
    const validate = 'type' in subject ? validateView : validateMessage;
    assert.deepEqual(messagesOf(validate(subject)), says);
  });
}
