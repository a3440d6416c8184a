/** A coding agent's question whether it may use one of its tools, as Claude Code asks it. */
import {
  type Approval,
  type Countersign,
  DeclinedError,
  ExpiredError,
  type WaitOptions,
} from '../../client/countersign-client.ts';

/** A tool that a coding agent wants to use, and for whom it is asked. */
export interface ToolUse {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly channel?: string;
  readonly requester?: string;
}

/** The answer, in the words of a permission prompt tool: the tool runs with `updatedInput`, or the agent is told why not. */
export type Permission =
  | { readonly behavior: 'allow'; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: 'deny'; readonly message: string };

/** Asks people and takes their approval before it says so; whatever is unclear denies. */
export async function askPermission(
  api: Pick<Countersign, 'withApproval'>,
  { toolName, input, ...more }: ToolUse,
  waiting: WaitOptions,
): Promise<Permission> {
  const allow = (approved: Readonly<Record<string, unknown>>) => approved;
  try {
    const ask = api.withApproval(allow, { action: toolName, silent: true, ...more, ...waiting });
    return { behavior: 'allow', updatedInput: await ask(input) };
  } catch (error) {
    return { behavior: 'deny', message: describeDenial(error) };
  }
}

function describeDenial(error: unknown): string {
  if (error instanceof DeclinedError) return describeDecline(error.approval);
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof ExpiredError) {
    return `${why} That is not a no: say what you wanted to do and why, and ask again later.`;
  }
  return `Not allowed: no approval could be had. ${why}`;
}

/** What a person wrote is handed on as it is. */
function describeDecline({ reply, decidedBy, reason }: Approval<object>): string {
  if (reply !== null) return reply;
  const because = reason === null ? '' : ` ${reason}`;
  return `${decidedBy ?? 'Somebody'} said no.${because} Don’t try the same in another way.`;
}
