/** Calls that repeat their secret everywhere, by who declared it, and all ways to show a call. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { createServerTool } from '../../../src/agent/mcp/listing/create-server-tool.ts';
import { parseListedTool } from '../../../src/agent/mcp/listing/parse-listed-tool.ts';
import { defineTool } from '../../../src/agent/tools/define-tool.ts';
import { toExternalTool } from '../../../src/agent/tools/external-tool.ts';
import { callEffectsOf } from '../../../src/desk/calls/call-effects.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { CallOrigin } from '../../../src/domain/calls/call-origin.ts';
import { stepFrom } from '../../../src/domain/calls/transitions.ts';
import { toApproval } from '../../../src/domain/cards/approval-view.ts';
import { toWaitingEntry } from '../../../src/domain/cards/call-list-entry.ts';
import { createSecretHider } from '../../../src/domain/cards/hide-args.ts';
import { canonicalJson } from '../../../src/domain/json/json.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { buildStub } from '../../../src/slack/cards/stub.ts';
import { buildEditForm } from '../../../src/slack/forms/draw/edit-form.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { buildReplyForm } from '../../../src/slack/forms/draw/reply-form.ts';
import { NO_DRAFT } from '../../../src/slack/forms/plan/form-node.ts';
import { planForm } from '../../../src/slack/forms/plan/plan-form.ts';
import { createFormMetadata } from '../../../src/slack/forms/read/form-metadata.ts';
import { buildWaitingEntry } from '../../../src/slack/home/waiting-entry.ts';
import { APPROVER, aCall } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

/** A tool that declares the argument `key` secret, and the fields of its calls. */
export interface Declared {
  readonly tool: Tool;
  readonly call: Partial<Call>;
}

const SCHEMA = {
  type: 'object',
  properties: { key: { type: 'string', format: 'password' }, note: { type: 'string' } },
};
const PLAIN_SCHEMA = { type: 'object', properties: {} };

function ownTool(key: z.ZodType, secrets: readonly string[] = []): Declared {
  const made = defineTool({
    name: 'own',
    description: '',
    schema: z.looseObject({ key, note: z.string().optional() }),
    secrets,
    run: () => '',
  });
  assert.ok(made.kind === 'tool');
  return { tool: made.tool, call: { secrets: made.tool.secrets } };
}

/** The tool of a call from outside. */
export function outsideTool(outside: CallOrigin, more: Partial<Call> = {}): Declared {
  const tool = toExternalTool({ tool: 'theirs', outside });
  assert.ok(tool);
  return { tool, call: { outside, secrets: tool.secrets, ...more } };
}

function serverTool(): Declared {
  const listed = parseListedTool('github', { name: 'push', inputSchema: SCHEMA });
  assert.ok(listed.kind === 'tool');
  const tool = createServerTool(listed, async () => '');
  return { tool, call: { server: 'github', secrets: tool.secrets } };
}

/** Secrets that are never shown. */
export const OPERATORS: Readonly<Record<string, Declared>> = {
  'the operator, by the schema of their tool': ownTool(z.string().meta({ format: 'password' })),
  'the operator, by the tool’s secrets': ownTool(z.string(), ['key']),
  'the operator, by the policy’s redact': outsideTool(
    { by: 'key', name: 'bot', schema: PLAIN_SCHEMA },
    { redact: ['key'] },
  ),
  'the operator, by the policy’s redact, and by a program': outsideTool(
    { by: 'key', name: 'bot', schema: SCHEMA },
    { redact: ['key'] },
  ),
};
/** Secrets that are masked until a person opens the call. */
export const OTHERS: Readonly<Record<string, Declared>> = {
  'a program over HTTP': outsideTool({ by: 'key', name: 'bot', key: 'k1', schema: SCHEMA }),
  'an agent over MCP': outsideTool({ by: 'key', name: 'claude', key: 'k2', schema: SCHEMA }),
  'an MCP server': serverTool(),
  'a graph': outsideTool({ by: 'graph', name: 'planner', schema: SCHEMA }),
};

/** Letters that are in none of our own texts. */
export const SECRET = 'ZQ"XJ/7+\nQZXJ';

/** A call with its secret in every possible place. */
export function tellAll({ call }: Declared, secret = SECRET): Call {
  const { outside } = call;
  const args = canonicalJson({
    key: secret,
    note: `with ${secret}`,
    [`at ${secret}`]: [secret, { deep: JSON.stringify({ secret }) }],
    url: `https://example.test/?k=${encodeURIComponent(secret)}`,
    header: `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`,
  });
  return aCall({
    ...call,
    args,
    proposedArgs: canonicalJson({ key: `${secret}-before`, note: `was ${secret}-before` }),
    editedBy: APPROVER,
    attempt: 2,
    preview: `sends ${secret}`,
    words: `I use ${secret}.`,
    askedLine: `please, with ${secret}`,
    note: `It failed with ${secret}.`,
    votes: [{ by: APPROVER, at: 1, reason: `I know ${secret}.` }],
    ...(outside && { outside: { ...outside, choices: [`Yes, ${secret}`] } }),
  });
}

/** The first page of the full call. */
export const view = { page: 1, mark: TEST_MARK } as const;

/** All ways to show a call to people and programs. */
export function surfacesOf(call: Call, tool: Tool): Readonly<Record<string, unknown>> {
  const hide = createSecretHider(TEST_MARK, { of: () => tool });
  const sight = (reveals: boolean) => ({
    args: (each: Call) => hide.args(each, reveals),
    text: (each: Call, text: string) => hide.text(each, text, reveals),
    isMasked: hide.mustBeOpened,
  });
  const ended = {
    ...call,
    status: 'failed',
    outcome: { kind: 'error', text: call.words },
  } as const;
  const vote = stepFrom(call, 'vote', 2, { status: 'pending' });
  return {
    card: buildCallCard(call, { tool, mark: TEST_MARK }),
    'card that has ended': buildCallCard(ended, { tool, mark: TEST_MARK }),
    'card without its tool': buildCallCard(call, { mark: TEST_MARK }),
    'full view of a person who may not decide': pagesOf(call, tool, false),
    'opened full view': pagesOf(call, tool, true),
    form: formOf(call, tool).view,
    'reply form': buildReplyForm(call, { tool, mark: TEST_MARK }),
    Home: buildWaitingEntry(toWaitingEntry(call, {})),
    API: toApproval(ended, sight(false)),
    'opened API': toApproval(ended, sight(true)),
    stub: buildStub(call, { card: undefined, isRefused: false }),
    push: buildCallCard(call, { tool, mark: TEST_MARK }).text,
    audit: callEffectsOf(call, [vote], APPROVER).audit,
  };
}

const OPENED: ReadonlySet<string> = new Set(['opened full view', 'opened API']);
/** A caller's secret does not mask what a person wrote. */
export const SHOWS_CLAIMS: ReadonlySet<string> = new Set([...OPENED, 'audit']);
export const TELLS_NOTHING: ReadonlySet<string> = new Set(['stub', 'push', 'reply form', 'Home']);

function pagesOf(call: Call, tool: Tool, mayApprove: boolean) {
  return [1, 2, 3].map((page) =>
    buildFullView(call, { ...view, page, tool, mayApprove, isReview: true }),
  );
}

/** The untouched form of a call. */
export function formOf(call: Call, tool: Tool) {
  const plan = planForm(call, tool, NO_DRAFT);
  return { plan, ...buildEditForm(call, plan, { meta: createFormMetadata() }) };
}

/** Every text of a surface, with field names. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsOf(each)]);
}

/** Whether a text contains the secret in any spelling. */
export function tells(surface: unknown, secret: string): boolean {
  const ways = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...['', ':', 'r:'].map((before) => {
      const whole = Buffer.from(`${before}${secret}`).toString('base64').replace(/=+$/, '');
      return whole.slice(before === '' ? 0 : 4, -1);
    }),
  ];
  return textsOf(surface).some((text) => ways.some((way) => way.length > 3 && text.includes(way)));
}
