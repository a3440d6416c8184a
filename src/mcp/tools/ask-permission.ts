/** Asks people whether a coding agent may use one of its tools. */
import {
  type Approval,
  type Countersign,
  DeclinedError,
  ExpiredError,
  type WaitOptions,
} from '../../client/countersign-client.ts';

/** A tool use that needs permission. */
export interface ToolUse {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly channel?: string;
  readonly requester?: string;
}

/** The answer, in the format of a permission prompt tool: run with `updatedInput`, or don't run. */
export type Permission =
  | { readonly behavior: 'allow'; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: 'deny'; readonly message: string };

/** Asks people, and consumes their approval before it allows the tool. Any error denies. */
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
  return `Not allowed: there is no approval. ${why}`;
}

/** A person's reply is passed on verbatim. */
function describeDecline({ reply, decidedBy, reason }: Approval<object>): string {
  if (reply !== null) return reply;
  const because = reason === null ? '' : ` ${reason}`;
  return `${decidedBy ?? 'Somebody'} said no.${because} Don’t try the same in another way.`;
}
