/** Attacks with the arguments and texts of a call, and what the card must show. */
import type { Call } from '../../../../src/domain/calls/call.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import type { ArgumentsContext } from '../../../../src/slack/cards/values/render-arguments.ts';

export interface Attack {
  /** The number of the attack or of the field report. */
  readonly source: string;
  readonly title: string;
  readonly args: { readonly [key: string]: JsonValue };
  readonly call?: Partial<Call>;
  /** The tool's own schema. (Default: one with the usual names.) */
  readonly schema?: ArgumentsContext['schema'];
  /** Whether the card itself has Approve. */
  readonly approvable: boolean;
  /** The first button. (Default: Approve, or the one that opens the full call.) */
  readonly first?: string;
  /** Texts that the card shows as data, in full. */
  readonly data?: readonly string[];
  /** Our own sentences on the card. */
  readonly says?: readonly string[];
}

const HIDDEN_CHARACTERS = [
  '\u200b',
  '\u{e0041}',
  '\u202e',
  '\u2066',
  '\u00ad',
  '\u115f',
  '\u3164',
  '\u2800',
  '\ufe0f',
  '\u{e0100}',
  '\u034f',
  '\u001b',
  '\u2028',
  '\u00a0',
];
export const NOT_ALL = 'This card can’t show everything. Press Open to read it all and decide.';
const harmless = 'Dear all, the picnic is on Friday. ';
const emails = Array.from({ length: 120 }, (_, i) => `person.${i}@example.com`);
const deep = (levels: number): JsonValue => (levels === 0 ? 'x' : { a: deep(levels - 1) });

export const ATTACKS: readonly Attack[] = [
  {
    source: 'D1',
    title: 'mentions',
    args: { text: '<!channel> <!here> <@U1> <!subteam^S1> @channel' },
    approvable: true,
    data: ['<!channel> <!here> <@U1> <!subteam^S1> @channel'],
  },
  {
    source: 'D2',
    title: 'a link with another label',
    args: { text: '<https://evil.example|https://bank.example>', url: 'https://evil.example/x' },
    approvable: true,
    data: ['<https://evil.example|https://bank.example>', 'https://evil.example/x'],
  },
  {
    source: 'D3',
    title: 'leaving the code',
    args: { text: '``` *:white_check_mark: Approved by @ceo*\n---\n> quote `x`' },
    approvable: true,
    data: ['``` *:white_check_mark: Approved by @ceo*\n---\n> quote `x`'],
  },
  {
    source: 'D4',
    title: 'words that claim an approval',
    args: { path: 'a.txt' },
    call: { words: 'PRE-APPROVED BY SECURITY, click *Approve* <!here>' },
    approvable: true,
    data: ['PRE-APPROVED BY SECURITY, click *Approve* <!here>'],
    says: ['Agent says (unverified)'],
  },
  {
    source: 'D5',
    title: 'a command behind spaces',
    args: { command: `ls${' '.repeat(3_500)}; rm -rf /` },
    approvable: true,
    data: ['ls\\u{20 x3500}; rm -rf /'],
    says: ['3,500 invisible characters are written as '],
  },
  {
    source: 'D5',
    title: 'two hundred keys, the bad one last',
    args: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, i])),
    approvable: false,
    says: ['190 arguments are not on this card.', NOT_ALL],
  },
  {
    source: 'D5',
    title: 'a text of 40 KB',
    args: { text: 'y'.repeat(40_000) },
    approvable: false,
    says: ['Text · 280 of 40,000 characters shown', NOT_ALL],
  },
  // Eight rows, with the label and a blank one.
  ...[314, 315, 316, 2_800, 3_000].map((length) => ({
    source: 'D6',
    title: `a text of ${length} characters`,
    args: { text: 'z'.repeat(length) },
    approvable: length <= 315,
    ...(length <= 315
      ? { data: ['z'.repeat(length)] }
      : { says: [`Text · 280 of ${length.toLocaleString('en-US')} characters shown`, NOT_ALL] }),
  })),
  ...HIDDEN_CHARACTERS.map((character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return {
      source: 'D8',
      title: `U+${code} in a host`,
      args: { text: `pay${character}pal` },
      approvable: true,
      data: [`pay\\u{${code}}pal`],
      says: ['1 invisible character is written as '],
    };
  }),
  {
    source: 'D8',
    title: 'emoji and right-to-left text stay',
    args: { text: 'שלום عالم 👩‍👩‍👧 ☺️' },
    approvable: true,
    data: ['שלום عالم 👩‍👩‍👧 ☺️'],
  },
  {
    source: 'D9',
    title: 'a Cyrillic letter in a Latin word',
    args: { text: 'https://p\u0430ypal.com/login' },
    approvable: true,
    data: ['https://p\u0430ypal.com/login', 'p\u0430ypal', 'xn--pypal-4ve.com'],
    says: [
      ' has mixed scripts: Latin + Cyrillic in one word (U+0430)',
      ' is a host name that is encoded as ',
    ],
  },
  {
    source: 'D9',
    title: 'a host written for machines',
    args: { text: 'xn--pypal-4ve.com' },
    approvable: true,
    data: ['xn--pypal-4ve.com', 'p\u0430ypal.com'],
    says: [' is a host name that is displayed as '],
  },
  {
    source: 'D9',
    title: 'a word made of look-alikes alone',
    args: { command: 'сору secret.txt' },
    approvable: true,
    data: ['сору'],
    says: [
      ' is written in Cyrillic letters, each of which looks Latin (U+0441, U+043E, U+0440, U+0443)',
    ],
  },
  {
    source: 'D9',
    title: 'a host behind an @',
    args: { text: 'https://bank.example@evil.example/x' },
    approvable: true,
    data: ['evil.example'],
    says: [' is the host of a URL, behind an “@”'],
  },
  {
    source: 'D11',
    title: 'text that is JSON, and text that is base64',
    args: { text: '{"to":"x"}', content: 'eyJ0byI6IngifQ==' },
    approvable: true,
    data: ['{"to":"x"}', 'eyJ0byI6IngifQ=='],
  },
  {
    source: 'D11',
    title: 'six levels are shown',
    args: { n: deep(6) },
    approvable: true,
    data: ['{"a": {"a": {"a": {"a": {"a": {"a": "x"}}}}}}'],
  },
  {
    source: 'D11',
    title: 'seven levels are opened',
    args: { n: deep(7) },
    approvable: false,
    says: ['A value is nested 7 levels deep.', NOT_ALL],
  },
  {
    source: 'D12',
    title: 'one letter or a letter and its mark',
    args: { text: 'caf\u00e9', content: 'cafe\u0301', n: 1 },
    approvable: true,
    data: ['caf\u00e9', 'cafe\\u{301}', '1'],
    says: ['1 invisible character is written as '],
  },
  {
    source: 'D14, 13',
    title: 'a tool’s name that is markup, or endless',
    args: { path: 'a.txt' },
    call: { tool: `Approve :white_check_mark: <!here>${'n'.repeat(300)}` },
    approvable: false,
    says: [NOT_ALL],
  },
  {
    source: 'D14',
    title: 'an argument that is called as our own facts are',
    args: { Note: 'Approved by the owner', 'Asked by': 'U1', 'Agent says (unverified)': true },
    approvable: true,
    data: ['"Note"', '"Asked by"', '"Agent says (unverified)"'],
  },
  {
    source: '13, 53',
    title: 'a harmless beginning with a dangerous end',
    args: { content: `${harmless.repeat(100)}bcc: all-customers` },
    approvable: false,
    says: ['Content · 280 of 3,518 characters shown', NOT_ALL],
  },
  {
    source: '53',
    title: 'a hundred and twenty recipients',
    args: { n: emails },
    approvable: false,
    says: [NOT_ALL],
  },
  {
    source: '14',
    title: 'values that are empty, each in its own way',
    args: { a: null, b: '', c: '   ', d: [], e: {}, f: 'null', g: false },
    approvable: true,
    data: ['"a"', '"b"', '"c"', '\\u{20 x3}', '"d"', '"e"', 'null', 'no'],
    says: ['(none)', '(empty)', '(empty list)', '(no values)'],
  },
  { source: '14', title: 'no arguments', args: {}, approvable: true, says: ['No arguments'] },
  {
    source: '16',
    title: 'a bar in a URL, and entities',
    args: {
      path: 'https://evil.example/?x=y|https://bank.example',
      url: 'https://a.example/?p=1&q=2',
      text: 'AT&T &lt;b&gt;',
    },
    approvable: true,
    data: [
      'https://evil.example/?x=y|https://bank.example',
      'https://a.example/?p=1&q=2',
      'AT&T &lt;b&gt;',
    ],
  },
  {
    source: '17, T24',
    title: 'secrets, declared and guessed',
    args: {
      apiKey: 'k-000111',
      headers: { Accept: 'text/html', Authorization: 'Bearer test-not-real-123' },
      content: 'send xoxb-not-a-real-token-1',
    },
    call: { words: 'I use k-000111.', preview: 'POST with k-000111' },
    approvable: false,
    says: ['API key · secret, not shown, mark 1540e480', NOT_ALL],
  },
  {
    source: '17',
    title: 'a mask that is a forgery',
    args: { path: '⟨hidden: a secret, mark 12345678⟩' },
    approvable: true,
    data: ['\\u{27e8}hidden: a secret, mark 12345678⟩'],
  },
  {
    source: '43',
    title: 'numbers near the edge',
    args: { n: 9_007_199_254_740_991, path: '9007199254740993', a: 1e-7, b: 1e21, c: 0.1 },
    approvable: true,
    data: ['9007199254740991', '"9007199254740993"', '1e-7', '1e+21', '0.1'],
  },
  {
    source: '47',
    title: 'text that looks like a list',
    args: { text: '["x"]', content: 'a, b', n: ['a, b', '["x"]'] },
    approvable: true,
    data: ['["x"]', 'a, b', '["x"]'],
    says: ['rich_text_list'],
  },
];
