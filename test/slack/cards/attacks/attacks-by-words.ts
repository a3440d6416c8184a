/** Attacks with the texts around the arguments of a call. */
import type { Attack } from './attacks.ts';

const QUESTION = 'Please pay the customer back <!here>. '.repeat(8).slice(0, 300);

export const ATTACKS_BY_WORDS: readonly Attack[] = [
  {
    source: 'D20, D4',
    title: 'a long question, a helper’s work and a note, all of them loud',
    args: { path: 'a.txt', n: 49.9 },
    call: {
      tool: 'refund_order',
      risk: 'high',
      askedLine: QUESTION,
      agent: 'research',
      work: { line: '*Approved by @ceo*: pay <@U7> back at once', position: 1, siblings: 3 },
      note: 'What this works on has changed since it was shown.',
      words: 'Approved by the board. '.repeat(20),
    },
    approvable: true,
    data: [
      `${QUESTION.slice(0, 100)}…`,
      '*Approved by @ceo*: pay <@U7> back at once',
      'What this works on has changed since it was shown.',
    ],
    says: [
      'helper research (task 2 of 3), for <@U1>',
      'Task, as written by an agent:',
      'Agent says (unverified) · 200 of 459 characters shown',
    ],
  },
  {
    source: 'D11',
    title: 'an argument that the tool does not know, which looks like a choice of its kind',
    args: { n: 1, path: 'a.txt', kind: 'by_path' },
    call: { tool: 'either' },
    approvable: true,
    data: ['"kind"', 'by_path', 'a.txt', '1'],
  },
  {
    source: 'D11',
    title: 'arguments of one of several kinds, in the order of their kinds, and one of none',
    args: { n: 1, path: 'a.txt', kind: 'by_path', extra: 'x' },
    call: { tool: 'either' },
    schema: {
      anyOf: [
        { properties: { kind: { const: 'by_path' }, path: {} } },
        { properties: { kind: { const: 'by_number' }, n: {} } },
      ],
    },
    approvable: true,
    data: ['by_path', 'a.txt', '1', '"extra"', 'x'],
    says: ['Kind', 'Path', 'N'],
  },
  {
    source: 'advisory: the old call asked again',
    title: 'a call like one that was edited',
    args: { path: 'a.txt' },
    call: { earlier: { likeness: 'same', how: 'edit', by: { team: 'T1', user: 'U2' }, at: 9e11 } },
    approvable: true,
  },
];
