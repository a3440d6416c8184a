/** Valid policy files, and small changes to them. */
import fc from 'fast-check';

/** Files in several styles. */
export const VALID: readonly string[] = [
  `version: 1
onPolicyError: ask            # ask | run
routes:
  ops:
    channel: "#ops"           # where the card goes
    approvers: [usergroup:S0OPS, user:U0LEAD, requester, "@pat", '#oncall']
    quorum: 2
    deadline: 4h
    escalate: { after: 2h, to: requester }
    requireReason: true
rules:
  - tools: ["pay_*", refund]
    when: has(args.amount) && args.amount > 10000
    gate: ask
    route: ops
    risk: high
  # only research
  - { tools: [list_files, read_file], agent: "helper:research", gate: run }
default: { gate: ask, route: requester }
`,
  `version: 1
rules:
  - tools: [pay]
    when: '!args.external && args.amount < 100'
    gate: run
  - tools: [pay]
    when: args.to != "bob" || !(args.ok)
    gate: refuse
    reason: Only Bob is paid here.
`,
  `version: 1
rules:
  - tools:
      - run_command
      - 'shell_*'
    agent:
      - key:deploy-bot
      - "graph:*"
    when: |
      args.cmd.matches("^(rm|dd) ") &&
      !args.dry_run
    gate: refuse
    reason: >-
      These commands
      are not for programs.
  - tools: ["*"]
    when: >
      args.a * 2 > 1
      && args.b
    gate: ask
default:
  gate: refuse
  reason: "Nothing else."
`,
  `version: 1
slackMayLoosen: false
routes: { a: { approvers: ["@x"], quorum: 1 }, b: { approvers: [user:U1, user:U2], quorum: 2 } }
rules: [{ tools: [x], gate: ask, route: a }, { tools: [y], when: "args.n > 1 && !args.m", gate: ask, route: b }]
`,
];

// biome-ignore format: a list of tokens.
const TOKENS = ['!', '! ', '!x ', '!!str ', '&', '& ', '&a ', '*', '*a', '* ', '#', ' #', ' # ', '# ', '"', "'", "''", '\t', ' ', '  ', '\n', '\n  ', '\n    ', '\r', '\r\n', '\ufeff', '\u200b', '\u2028', '\u0085', '\u00a0', '\0', '-', '- ', ':', ': ', '{', '}', '[', ']', ',', ', ', '|', '>', '|-', '|+', '|2', '>-', '%', '@', '`', '? ', '<<: ', '//', ' // ', '\\', '\\b', '\\P', '\\_', '0x', '0', '.0', 'e0', '.inf', '~', '---\n', '\n---\n', '\n...\n', '%YAML 1.1\n---\n', 'é', '\u{1F600}', '&&', '||', '!=', '(', ')', 'when: ', 'gate: run', ', gate: run', '=', '+'];

/** A change to a text. */
export type Edit = (text: string) => string;
const at = (text: string, place: number) => Math.floor(place * text.length);
const place = fc.double({ min: 0, max: 0.999999, noNaN: true });

/** Changes a file slightly, mostly where YAML is most easily misread. */
export const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(place, fc.constantFrom(...TOKENS)).map(
      ([p, token]): Edit =>
        (text) =>
          `${text.slice(0, at(text, p))}${token}${text.slice(at(text, p))}`,
    ),
  },
  // The start of a value is where YAML is most easily misread.
  {
    weight: 6,
    arbitrary: fc.tuple(place, fc.constantFrom(...TOKENS)).map(
      ([p, token]): Edit =>
        (text) =>
          insertAtValue(text, p, token),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(place, fc.constantFrom(...TOKENS)).map(
      ([p, token]): Edit =>
        (text) =>
          insertInText(text, p, token),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(place, fc.constantFrom('comment', 'line', 'blank', 'single', 'double')).map(
      ([p, how]): Edit =>
        (text) =>
          rewrite(text, p, how),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(place, fc.integer({ min: 1, max: 4 })).map(
      ([p, length]): Edit =>
        (text) =>
          `${text.slice(0, at(text, p))}${text.slice(at(text, p) + length)}`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(place, place).map(
      ([from, to]): Edit =>
        (text) =>
          moveLine(text, from, to, true),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(place, place).map(
      ([from, to]): Edit =>
        (text) =>
          moveLine(text, from, to, false),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(place, fc.constantFrom('  ', ' ', '\t')).map(
      ([p, indent]): Edit =>
        (text) =>
          changeLine(text, p, (line) => `${indent}${line}`),
    ),
  },
  {
    weight: 1,
    arbitrary: place.map(
      (p): Edit =>
        (text) =>
          changeLine(text, p, (line) => line.replace(/^ {1,2}/, '')),
    ),
  },
);

/** Texts may hold nearly everything, except what YAML interprets. */
function insertInText(text: string, p: number, token: string): string {
  const places = [...text.matchAll(/(?:reason: |^ {6}(?:These|are)|== "|!= "|")[\w ]*/gm)];
  const found = places[Math.floor(p * places.length)];
  if (!found) return text;
  const middle = found.index + found[0].length;
  return `${text.slice(0, middle)}${token}${text.slice(middle)}`;
}

/** A file that is written in another style. */
function rewrite(text: string, p: number, how: string): string {
  return changeLine(text, p, (line) => {
    if (how === 'comment') return `${line} # note`;
    if (how === 'line') return `# note\n${line}`;
    if (how === 'blank') return `\n${line}`;
    const quote = how === 'single' ? "'" : '"';
    return line.replace(/(?<=: )(\w[\w:.-]*)(?=$|[,} ])/, `${quote}$1${quote}`);
  });
}

function insertAtValue(text: string, p: number, token: string): string {
  const starts = [...text.matchAll(/(?:[:,[-] +|^ +|["'])(?=\S)/gm)].map(
    ({ 0: before, index }) => index + before.length,
  );
  const start = starts[Math.floor(p * starts.length)] ?? 0;
  return `${text.slice(0, start)}${token}${text.slice(start)}`;
}

function moveLine(text: string, from: number, to: number, isCopy: boolean): string {
  const lines = text.split('\n');
  const index = Math.floor(from * lines.length);
  const line = lines[index] ?? '';
  if (!isCopy) lines.splice(index, 1);
  lines.splice(Math.floor(to * lines.length), 0, line);
  return lines.join('\n');
}

function changeLine(text: string, p: number, change: (line: string) => string): string {
  const lines = text.split('\n');
  const index = Math.floor(p * lines.length);
  lines[index] = change(lines[index] ?? '');
  return lines.join('\n');
}
