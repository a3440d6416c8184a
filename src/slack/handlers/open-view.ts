import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { Click } from '../check-click.ts';
import { buildMessageView } from '../forms/small-views.ts';
import { SENTENCES } from '../sentences.ts';
import { slackErrorName } from '../slack-errors.ts';
import { answerPerson, type HandlerDeps } from './handler.ts';

/** Opens a view by the trigger of a click; resolves with its id, or with nothing when it did not open, which the person is told. */
export async function openView(
  view: ModalView,
  click: Pick<Click, 'origin' | 'actionId' | 'triggerId'>,
  deps: Pick<HandlerDeps, 'client' | 'teller' | 'log'>,
): Promise<string | undefined> {
  const named = { ...view, external_id: randomUUID() };
  try {
    const opened = await deps.client.views.open({ trigger_id: click.triggerId, view: named });
    return opened.view?.id;
  } catch (error) {
    // Where only the answer was lost, the view stands open under the name that we gave it.
    const standing = isAnswer(error) ? undefined : await findStanding(named, deps);
    if (standing !== undefined) return standing;
    const expired = EXPIRED.has(slackErrorName(error) ?? '');
    deps.log.warn({ err: error, action: click.actionId }, 'A form did not open.');
    const text = expired ? SENTENCES.formExpired : SENTENCES.formFailed;
    await answerPerson(click.origin, text, deps, buildMessageView);
    return undefined;
  }
}

/** Tells whether Slack itself said no, so that no view was opened. */
function isAnswer(error: unknown): boolean {
  return slackErrorName(error) !== undefined;
}

async function findStanding(
  view: ModalView & { readonly external_id: string },
  { client }: Pick<HandlerDeps, 'client'>,
): Promise<string | undefined> {
  const { external_id } = view;
  const found = await client.views.update({ external_id, view }).catch(() => undefined);
  return found?.view?.id;
}

const EXPIRED: ReadonlySet<string> = new Set(['expired_trigger_id', 'exchanged_trigger_id']);
