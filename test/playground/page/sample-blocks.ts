import type { KnownBlock, Option } from '@slack/types';

const button = (text: string, id: string, style?: 'primary' | 'danger') => ({
  type: 'button' as const,
  text: { type: 'plain_text' as const, text },
  action_id: id,
  value: 'call-1',
  ...(style === undefined ? {} : { style }),
});

const DIFF = [
  '--- docs/notes.md',
  '+++ docs/notes.md',
  '@@ -1,3 +1,4 @@',
  ' # Notes',
  '-The deploy runs every friday at noon.',
  '+The deploy runs every Thursday at noon, see https://wiki.example.com/deploy/a-very-long-path/that-does-not-break-anywhere-at-all.',
  ' Ask ops before you change it.',
].join('\n');

/** A card with everything that the app's cards have: header, facts, a diff, quoted words, buttons. */
export function sampleCard(): readonly KnownBlock[] {
  return [
    { type: 'header', text: { type: 'plain_text', text: 'Write a file: docs/notes.md' } },
    {
      type: 'section',
      block_id: 'facts',
      fields: [
        { type: 'mrkdwn', text: '*Asked by*\n<@U0REQUESTER>' },
        { type: 'mrkdwn', text: '*Risk*\n:warning: medium' },
      ],
    },
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: DIFF }] }],
    },
    {
      type: 'section',
      expand: true,
      text: {
        type: 'mrkdwn',
        text: '>The agent says (unverified): I fixed the day and linked the _wiki_ page.',
      },
    },
    {
      type: 'context',
      elements: [
        { type: 'mrkdwn', text: 'Waiting for <@U0APPROVER>' },
        {
          type: 'mrkdwn',
          text: 'Expires <!date^1796000000^{date_short_pretty} at {time}|tomorrow>',
        },
      ],
    },
    {
      type: 'actions',
      block_id: 'decide',
      elements: [
        button('Approve', 'call.approve', 'primary'),
        button('Edit', 'call.edit'),
        button('Reply', 'call.reply'),
        button('Ignore', 'call.ignore', 'danger'),
        {
          type: 'overflow',
          action_id: 'call.more',
          options: [
            { text: { type: 'plain_text', text: 'Show everything' }, value: 'full' },
            { text: { type: 'plain_text', text: 'Stop the turn' }, value: 'stop' },
          ],
        },
      ],
    },
  ];
}

const plain = (text: string) => ({ type: 'plain_text' as const, text });

/** A form with each kind of native control. */
export function sampleForm(): readonly KnownBlock[] {
  const options = (values: readonly string[]) =>
    values.map((value) => ({ text: plain(value), value }));
  return [
    {
      type: 'input',
      block_id: 'path',
      label: plain('Path'),
      hint: plain('Inside the workspace folder.'),
      element: { type: 'plain_text_input', action_id: 'path', initial_value: 'docs/notes.md' },
    },
    {
      type: 'input',
      block_id: 'lines',
      label: plain('Lines'),
      element: {
        type: 'number_input',
        action_id: 'lines',
        is_decimal_allowed: false,
        initial_value: '12',
      },
    },
    {
      type: 'input',
      block_id: 'mode',
      optional: true,
      label: plain('Mode'),
      element: {
        type: 'static_select',
        action_id: 'mode',
        options: options(['append', 'replace']),
      },
    },
    {
      type: 'input',
      block_id: 'notify',
      optional: true,
      label: plain('Notify'),
      element: {
        type: 'checkboxes',
        action_id: 'notify',
        options: options(['Requester', 'Channel']),
      },
    },
    {
      type: 'input',
      block_id: 'tool',
      optional: true,
      label: plain('Tool'),
      element: { type: 'external_select', action_id: 'tool', min_query_length: 1 },
    },
    {
      type: 'input',
      block_id: 'due',
      optional: true,
      label: plain('Due'),
      element: { type: 'datepicker', action_id: 'due', initial_date: '2026-12-24' },
    },
  ];
}

const MARKDOWN = [
  '## Done',
  'I changed **one** line:',
  '',
  '- fixed the day',
  '- linked the `wiki`',
  '  1. nested',
  '',
  '| File | Lines |',
  '|---|---:|',
  '| docs/notes.md | 4 |',
  '| a/very/long/path/name/of/a/file/that/goes/on/and/on.md | 12 |',
  '',
  '```diff',
  '- friday',
  '+ Thursday',
  '```',
  '> quoted',
  '',
  'See [the page](https://example.com).',
].join('\n');

/** An answer in Markdown with feedback buttons, and a block that the page can't show. */
export function sampleAnswer(): readonly KnownBlock[] {
  return [
    { type: 'markdown', text: MARKDOWN },
    { type: 'card', title: { type: 'mrkdwn', text: 'Not drawn' } },
  ];
}

/** A Home tab with one element of each kind that acts at once, and a line with the selected value. */
export function sampleHome(said = 'Nothing chosen yet.'): readonly KnownBlock[] {
  const options = [
    { text: plain('First'), value: 'first' },
    { text: plain('Second'), value: 'second' },
  ];
  const texts: Option[] = [
    { text: plain('*Plain* <@U0ADMIN>'), value: 'plain' },
    { text: { type: 'mrkdwn', text: '*Marked* up' }, value: 'marked' },
  ];
  return [
    { type: 'header', text: plain('Waiting for you') },
    { type: 'section', text: { type: 'mrkdwn', text: said } },
    {
      type: 'actions',
      block_id: 'elements',
      elements: [
        { type: 'users_select', action_id: 'el.user', placeholder: plain('Who decides?') },
        { type: 'static_select', action_id: 'el.static', placeholder: plain('Which?'), options },
        { type: 'checkboxes', action_id: 'el.checkboxes', options },
        { type: 'radio_buttons', action_id: 'el.radio', options: texts },
        { type: 'datepicker', action_id: 'el.date', placeholder: plain('Until when?') },
        { type: 'timepicker', action_id: 'el.time', placeholder: plain('At what time?') },
        { type: 'datetimepicker', action_id: 'el.datetime' },
        {
          type: 'button',
          action_id: 'el.button',
          text: plain('Delete the route'),
          style: 'danger',
          value: 'gone',
          confirm: {
            title: plain('Delete it?'),
            text: plain('Calls will ask on the default route.'),
            confirm: plain('Yes, delete'),
            deny: plain('Keep'),
            style: 'danger',
          },
        },
      ],
    },
    {
      type: 'input',
      block_id: 'note',
      dispatch_action: true,
      label: plain('Note'),
      element: { type: 'plain_text_input', action_id: 'el.text' },
    },
  ];
}
