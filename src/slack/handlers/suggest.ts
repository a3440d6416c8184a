import type { PlainTextOption } from '@slack/types';
import { parseQuestion } from '../check-click.ts';
import { suggestOptions } from '../forms/suggest-options.ts';
import { recordRefused } from '../refuse-click.ts';
import { findSession } from './form-session.ts';
import type { HandlerDeps } from './handler.ts';

/** Answers Slack's question for the choices of a field that a person searches; none where nothing may be chosen. */
export async function answerQuestion(body: unknown, deps: HandlerDeps): Promise<PlainTextOption[]> {
  const parsed = parseQuestion(body, deps.identity);
  if (parsed.kind === 'refused') {
    await recordRefused(parsed, deps);
    return [];
  }
  const found = await findSession(parsed.question, deps);
  if (found.kind === 'over') return [];
  const { blockId, typed } = parsed.question;
  return suggestOptions(found.session.plan, blockId, typed);
}
