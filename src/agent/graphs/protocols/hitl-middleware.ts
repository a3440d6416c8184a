/**
 * The interrupts of LangChain's human-in-the-loop middleware for JavaScript and Python. A batch is
 * answered at once. If one call is rejected, the JavaScript middleware drops the approved ones. To avoid
 * that, an editable call is refused by an edit to a nonexistent tool: the others run and the model gets
 * an error. If editing is not allowed, the approved calls are rejected too, with the reason; otherwise
 * they would silently disappear. The middleware also drops the calls that it did not ask about, and
 * leaves them without an answer.
 */
import { z } from 'zod';
import type { JsonValue } from '../../../domain/json/json.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';
import {
  ARGUMENTS,
  assertParsed,
  type ForeignDecision,
  type ForeignRequest,
  type Protocol,
  type RequestSource,
} from './protocol.ts';

const KIND = z.enum(['approve', 'edit', 'reject', 'respond']);
const DESCRIPTION = z.string().nullish();

/** https://docs.langchain.com/oss/javascript/langchain/human-in-the-loop */
const JS = z.object({
  actionRequests: z
    .array(z.object({ name: z.string(), args: ARGUMENTS, description: DESCRIPTION }))
    .min(1),
  reviewConfigs: z.array(
    z.object({
      actionName: z.string(),
      allowedDecisions: z.array(KIND),
      argsSchema: z.json().optional(),
    }),
  ),
});

/** https://docs.langchain.com/oss/python/langchain/human-in-the-loop */
const PYTHON = z.object({
  action_requests: z
    .array(z.object({ name: z.string(), args: ARGUMENTS, description: DESCRIPTION }))
    .min(1),
  review_configs: z.array(
    z.object({
      action_name: z.string(),
      allowed_decisions: z.array(KIND),
      args_schema: z.json().nullish(),
    }),
  ),
});

type Kind = z.infer<typeof KIND>;

interface Action {
  readonly name: string;
  readonly args: Readonly<Record<string, JsonValue>>;
  readonly description: string | undefined;
  readonly allowed: readonly Kind[];
  readonly schema: JsonValue | undefined;
}

interface Batch {
  readonly actions: readonly Action[];
  /** Key of an edited action in the answer. */
  readonly edited: 'editedAction' | 'edited_action';
}

export const hitlMiddlewareProtocol: Protocol = {
  name: 'the human-in-the-loop middleware',
  parse: (value) => read(value)?.actions.map(toForeign),
  encode(value, decisions, asker = 'graph') {
    const batch = read(value);
    assertParsed(hitlMiddlewareProtocol.name, batch?.actions.map(toForeign), decisions);
    if (!batch) return null;
    const decided = pairDecisions(batch, decisions);
    const mode = rejectionModeOf(batch, decided, asker);
    const answers = decided.map((each) => answer(each, batch.edited, mode));
    return { decisions: answers };
  },
  dropsOthers(value, answer) {
    const rejects = REJECTION.safeParse(answer).success;
    return rejects && read(value)?.edited === 'editedAction';
  },
  lost(value, decisions) {
    const batch = read(value);
    const decided = batch ? pairDecisions(batch, decisions) : [];
    if (!batch || rejectionModeOf(batch, decided, 'graph') !== 'reject-all') return [];
    return decided.flatMap(({ action, decision }, index) =>
      mayRun(decision) && !action.allowed.includes('reject') ? [index] : [],
    );
  },
};

const REJECTION = z.object({
  decisions: z
    .array(z.object({ type: z.string() }))
    .refine((all) => all.some(({ type }) => type === 'reject')),
});

function pairDecisions(
  { actions }: Batch,
  decisions: readonly ForeignDecision[],
): readonly DecidedAction[] {
  return actions.map((action, index) => {
    return { action, decision: decisions[index] ?? { kind: 'ignore' } };
  });
}

function read(value: unknown): Batch | undefined {
  const js = JS.safeParse(value);
  if (js.success) {
    const { actionRequests, reviewConfigs } = js.data;
    const configs = reviewConfigs.map(({ actionName, allowedDecisions, argsSchema }) => ({
      name: actionName,
      allowed: allowedDecisions,
      schema: argsSchema,
    }));
    return toBatch(actionRequests, configs, 'editedAction');
  }
  const python = PYTHON.safeParse(value);
  if (!python.success) return undefined;
  const { action_requests, review_configs } = python.data;
  const configs = review_configs.map(({ action_name, allowed_decisions, args_schema }) => ({
    name: action_name,
    allowed: allowed_decisions,
    schema: args_schema ?? undefined,
  }));
  return toBatch(action_requests, configs, 'edited_action');
}

interface Config extends Pick<Action, 'name' | 'allowed' | 'schema'> {}

/** JavaScript sends a config per request in order, Python one per tool: match by name. */
function toBatch(
  requests: readonly {
    readonly name: string;
    readonly args: Readonly<Record<string, JsonValue>>;
    readonly description?: string | null | undefined;
  }[],
  configs: readonly Config[],
  edited: Batch['edited'],
): Batch | undefined {
  const actions: Action[] = [];
  for (const [index, { name, args, description }] of requests.entries()) {
    const at = configs[index];
    const config = at?.name === name ? at : configs.find((each) => each.name === name);
    if (!config) return undefined;
    const { allowed, schema } = config;
    actions.push({ name, args, description: description ?? undefined, allowed, schema });
  }
  return { actions, edited };
}

const KINDS: Readonly<Record<Kind, readonly DecisionKind[]>> = {
  approve: ['approve'],
  edit: ['edit'],
  // A rejection may carry a person's text or not.
  reject: ['reply', 'ignore'],
  respond: ['reply'],
};

function toForeign({ name, args, description, allowed, schema }: Action): ForeignRequest {
  return {
    tool: name,
    args,
    ...(description !== undefined && { description }),
    decisions: [...new Set(allowed.flatMap((kind) => KINDS[kind]))],
    ...(schema !== undefined && { schema }),
  };
}

const IGNORED = 'Not run: a person ignored this call.';

interface DecidedAction {
  readonly action: Action;
  readonly decision: ForeignDecision;
}

/**
 * How approved calls survive beside rejected ones: no change needed, the rejected ones are answered by
 * `respond` or `edit` instead, or no call of the batch can run.
 */
type RejectionMode = 'plain' | 'avoid-reject' | 'reject-all';

function rejectionModeOf(
  { edited }: Batch,
  decided: readonly DecidedAction[],
  asker: RequestSource,
): RejectionMode {
  const runs = decided.some(({ decision }) => mayRun(decision));
  // A helper may have further calls that we cannot answer from outside.
  if (edited === 'edited_action' || !(runs || asker === 'helper')) return 'plain';
  const others = decided.filter(({ decision }) => !mayRun(decision));
  const canAvoidRejection = others.every(
    ({ action }) => action.allowed.includes('respond') || action.allowed.includes('edit'),
  );
  if (canAvoidRejection) return 'avoid-reject';
  return runs ? 'reject-all' : 'plain';
}

function mayRun({ kind }: ForeignDecision): boolean {
  return kind === 'approve' || kind === 'edit';
}

function answer(
  { action, decision }: DecidedAction,
  edited: Batch['edited'],
  mode: RejectionMode,
): JsonValue {
  const { name, allowed } = action;
  if (mayRun(decision) && mode === 'reject-all' && allowed.includes('reject')) {
    return { type: 'reject', message: describeDropped(decision) };
  }
  if (decision.kind === 'approve') return { type: 'approve' };
  if (decision.kind === 'edit') return { type: 'edit', [edited]: { name, args: decision.args } };
  const message = decision.kind === 'reply' ? decision.text : IGNORED;
  const canRespond = decision.kind === 'reply' || mode === 'avoid-reject';
  if (canRespond && allowed.includes('respond')) return { type: 'respond', message };
  if (mode !== 'avoid-reject') return { type: 'reject', message };
  return { type: 'edit', [edited]: { name: refusedName(name), args: { message } } };
}

function describeDropped(decision: ForeignDecision): string {
  const how = decision.kind === 'edit' ? ` with ${JSON.stringify(decision.args)}` : '';
  return `Not run, although a person approved it${how}: the graph’s middleware drops approved calls if another one is rejected. You may call it again alone.`;
}

const NAME_LENGTH = 64;
const REFUSAL = '__not_approved_do_not_retry';

/** The model only learns that no tool of this name exists, so the name carries the message. */
function refusedName(name: string): string {
  return `${name.slice(0, NAME_LENGTH - REFUSAL.length)}${REFUSAL}`;
}
