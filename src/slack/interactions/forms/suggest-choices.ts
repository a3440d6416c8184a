import type { PlainTextOption } from '@slack/types';
import { suggestOptions } from '../../forms/draw/suggest-options.ts';
import { parseChoicesQuery } from '../../inbound/parse-click.ts';
import type { HandlerDeps } from '../handler.ts';
import { recordRejected } from '../reject-click.ts';
import { findSession } from './form-session.ts';

/** Returns the options of a select that a person searches; none if the form can’t be used. */
export async function answerChoicesQuery(
  body: unknown,
  deps: HandlerDeps,
): Promise<PlainTextOption[]> {
  const parsed = parseChoicesQuery(body, deps.identity);
  if (parsed.kind === 'refused') {
    await recordRejected(parsed, deps);
    return [];
  }
  const found = await findSession(parsed.question, deps);
  if (found.kind === 'over') return [];
  const { blockId, typed } = parsed.question;
  return suggestOptions(found.session.plan, blockId, typed);
}
