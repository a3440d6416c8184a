/**
 * Names the caller of an outside call. All but the name of a key or server is the caller's own
 * claim.
 */
import type { Call } from '../../domain/calls/call.ts';
import { behaviourOf, CALLERS, type CallOrigin } from '../../domain/calls/call-origin.ts';
import { escapeProgramName } from '../../domain/text/visible-text.ts';
import { dateText } from './mrkdwn.ts';
import { endsWhenTaken } from './status-labels.ts';

/** Names the caller, without markup. */
export function callerLabel({ by, name }: CallOrigin): string {
  return `${CALLERS[by]} “${escapeProgramName(name)}”`;
}

/** Describes the caller, and marks what nobody has verified. */
export function describeOrigin(outside: CallOrigin): string {
  const via = outside.isProxied ? ' through a proxy' : '';
  const from = outside.host === undefined ? via : ` from \`${showHost(outside.host)}\``;
  const how = outside.by === 'key' ? ' (API key, unverified)' : '';
  return `the ${callerLabel(outside)}${how}${from}`;
}

const HOST_LIMIT = 80;

/**
 * Escapes all characters that addresses do not have. In code formatting, Slack replaces no emoji.
 */
function showHost(host: string): string {
  const safe = host.replace(
    /[^A-Za-z0-9.:_[\]%-]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return safe.length > HOST_LIMIT ? `${safe.slice(0, HOST_LIMIT)}…` : safe;
}

/** Describes what a program waits for or has not reported; undefined if nothing. */
export function describeCallerWait(call: Call, outside: CallOrigin): string | undefined {
  const who = `The ${callerLabel(outside)}`;
  const { deadlineAt, status } = call;
  const until = deadlineAt === undefined ? '' : ` until ${dateText(deadlineAt)}`;
  // The outcome of a silent graph already says so.
  if (endsWhenTaken(call)) {
    return behaviourOf(call).runBy === 'caller'
      ? `approved and picked up. ${who} doesn’t report results.`
      : undefined;
  }
  if (behaviourOf(call).runBy === 'graph')
    return status === 'pending' ? `${who} is waiting for it.` : undefined;
  switch (status) {
    case 'pending':
      return `${who} is waiting for it.`;
    case 'approved':
      return `${who} can pick it up${until}, one time only.`;
    case 'running':
      return `${who} picked it up and can report the result${until}.`;
    default:
      return undefined;
  }
}
