/** Every function of ours that reads a whole hostile text, with the texts for it. */

import { previewChange } from '../../../src/agent/tools/files/preview-change.ts';
import { callDigestOf } from '../../../src/domain/calls/digest.ts';
import { toWaitingEntry } from '../../../src/domain/cards/call-list-entry.ts';
import { createSecretHider } from '../../../src/domain/cards/hide-args.ts';
import type { JsonValue } from '../../../src/domain/json/json.ts';
import { parseStrictJson } from '../../../src/domain/json/strict-json.ts';
import { toTerminalJson, toTerminalLine } from '../../../src/domain/text/terminal-text.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { parseMarkdown } from '../../../src/playground/page/text/markdown.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { buildEditForm } from '../../../src/slack/forms/draw/edit-form.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { NO_DRAFT } from '../../../src/slack/forms/plan/form-node.ts';
import { planForm } from '../../../src/slack/forms/plan/plan-form.ts';
import { createFormMetadata } from '../../../src/slack/forms/read/form-metadata.ts';
import { buildWaitingEntry } from '../../../src/slack/home/waiting-entry.ts';
import { buildOutboxParts } from '../../../src/slack/outbound/build-messages.ts';
import { settledMarkdownPrefix, settledTableRows } from '../../../src/slack/text/mrkdwn.ts';
import { splitMarkdown } from '../../../src/slack/text/split-markdown.ts';
import { aCall } from '../builders/a-call.ts';
import { TEST_MARK } from '../test-secret-mark.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';

const TOOL = { schema: { properties: { text: { type: 'string' } } }, secrets: [] };
const LOOK = { tool: TOOL, mark: TEST_MARK };
/** The maximum number of arguments. */
const MOST_VALUES = 2_900;

function withArgs(args: JsonValue, patch: Parameters<typeof aCall>[0] = {}) {
  const text = JSON.stringify(args);
  return aCall({ args: text, proposedArgs: text, ...patch });
}

function withoutBeginning(text: string): string {
  return text.replace(/^.{9}/su, '');
}

/** Without half a surrogate pair at its end. */
function whole(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}

/** The text in as many parts as there may be arguments. */
function partsOf(text: string, most = MOST_VALUES): readonly string[] {
  const size = Math.ceil(text.length / most);
  return text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
}

/** The measured work, after its setup. */
type Work = () => unknown;

function card(call: ReturnType<typeof aCall>): Work {
  return () => buildCallCard(call, LOOK);
}

function form(args: JsonValue): Work {
  const call = withArgs(args);
  const meta = { ...createFormMetadata(), page: 1 };
  return () => buildEditForm(call, planForm(call, TOOL, NO_DRAFT), { meta });
}

function hidden(args: JsonValue, secrets: readonly string[] = []): Work {
  const tool: Tool = {
    name: 'note',
    description: '',
    schemaHash: '',
    risk: 'low',
    idempotent: true,
    parse: () => ({ ok: false, problems: [] }),
    run: async () => '',
    schema: TOOL.schema,
    secrets,
  };
  const call = withArgs(args);
  return () => createSecretHider(TEST_MARK, { of: () => tool }).args(call, false);
}

function edited(text: string): Work {
  const proposedArgs = JSON.stringify({ text: withoutBeginning(text) });
  return card(withArgs({ text }, { proposedArgs, editedBy: { team: 'T1', user: 'U2' } }));
}

function fileOf(text: string) {
  const size = Buffer.byteLength(text);
  const rest = { digest: '', modifiedAt: 0, touched: undefined, isCut: false };
  return { kind: 'file', size, text, ...rest } as const;
}

function preview(before: string, after: string | undefined): Work {
  const file = fileOf(before);
  return () => previewChange('a', file, after);
}

function manyNames(text: string): JsonValue {
  return Object.fromEntries(partsOf(text, MOST_VALUES / 2).map((part, i) => [i + part, 1]));
}

/** The name of each function, and how it is called with the text. */
const SURFACES: readonly (readonly [what: string, prepare: (text: string) => Work])[] = [
  ['the card of a text', (text) => card(withArgs({ text }))],
  ['the card of a list', (text) => card(withArgs({ text: partsOf(text) }))],
  ['the card of many arguments', (text) => card(withArgs(manyNames(text)))],
  ['the card of an argument’s name', (text) => card(withArgs({ [text]: 1 }))],
  ['the card of an edited text', edited],
  ['the card of a preview', (text) => card(aCall({ preview: text }))],
  ['the card of the agent’s words', (text) => card(aCall({ words: text }))],
  [
    'a page of the full view',
    (text) => {
      const call = withArgs({ text });
      return () => buildFullView(call, { page: 1, mayApprove: true, ...LOOK });
    },
  ],
  ['the form of a text', (text) => form({ text })],
  ['the form of a list', (text) => form({ text: partsOf(text) })],
  [
    'an entry on Home',
    (text) => {
      const call = aCall({ summary: text, tool: text });
      return () => buildWaitingEntry(toWaitingEntry(call, {}));
    },
  ],
  ['arguments for a program', (text) => hidden({ text })],
  [
    'arguments that repeat a secret',
    (text) => {
      const half = whole(text.slice(0, text.length / 2));
      return hidden({ text: withoutBeginning(half), other: half }, ['text']);
    },
  ],
  ['an answer', (text) => () => buildOutboxParts({ kind: 'answer', text })],
  [
    'an answer as it grows',
    (text) => () => splitMarkdown(settledTableRows(settledMarkdownPrefix(text)), 3_000),
  ],
  ['the preview of a small change', (text) => preview(text, `x\n${text}y`)],
  ['the preview of another text', (text) => preview(text, partsOf(text).toReversed().join('\n'))],
  ['the preview of a deletion', (text) => preview(text, undefined)],
  [
    'the reader of JSON',
    (text) => () => [parseStrictJson(text), parseStrictJson(JSON.stringify(text))],
  ],
  ['the digest of a call', (text) => () => callDigestOf(withArgs({ text }))],
  [
    'a line on a terminal',
    (text) => () => [toTerminalLine(text), toTerminalJson(JSON.stringify(text))],
  ],
  ['the playground’s page', (text) => () => parseMarkdown(text)],
];

/** The maximum size of arguments as JSON, with room for their names. */
const MAX_JSON = 254 * 1_024;

/** The beginning of a text that fits arguments. */
function fitted(text: string): string {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  return whole(text.slice(0, Math.floor((text.length * MAX_JSON) / bytes)));
}

/** The texts, as far as a call can contain them. */
export const HOSTILE_CALL_TEXTS = HOSTILE_TEXTS.map(
  ([name, text]) => [name, fitted(text)] as const,
);

/** Every function that reads whole texts, with all its inputs. */
export const HOSTILE_WORK: readonly {
  readonly what: string;
  readonly texts: readonly (readonly [name: string, text: string])[];
  prepare(text: string): Work;
}[] = SURFACES.map(([what, prepare]) => ({ what, texts: HOSTILE_CALL_TEXTS, prepare }));

/** Returns the processor time in milliseconds; for slow functions, the minimum of three runs. */
export function costOf(work: Work, slowMs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run === 0 || (run < 3 && least > slowMs); run += 1) {
    const before = process.cpuUsage();
    work();
    const { system, user } = process.cpuUsage(before);
    least = Math.min(least, (system + user) / 1_000);
  }
  return least;
}
