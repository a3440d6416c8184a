import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import { buildMessageView } from '../../forms/draw/small-views.ts';
import type { Click } from '../../inbound/parse-click.ts';
import { SENTENCES } from '../../text/outcome-sentences.ts';
import { EXPIRED_TRIGGERS, slackErrorName } from '../../transport/slack-errors.ts';
import { answerPerson, type HandlerDeps } from '../handler.ts';

/** Opens a view by the trigger of a click, over the one that the click was made in where it is to stay; resolves with its id, or with nothing when it did not open, which the person is told. */
export async function openView(
  view: ModalView,
  click: Pick<Click, 'origin' | 'actionId' | 'triggerId'>,
  deps: Pick<HandlerDeps, 'client' | 'teller' | 'log'>,
  { isOver = false }: { readonly isOver?: boolean } = {},
): Promise<string | undefined> {
  const named = { ...view, external_id: randomUUID() };
  const { client } = deps;
  const wanted = { trigger_id: click.triggerId, view: named };
  try {
    const opened = await (isOver ? client.views.push(wanted) : client.views.open(wanted));
    return opened.view?.id;
  } catch (error) {
    // Where only the answer was lost, the view stands open under the name that we gave it.
    const standing = isAnswer(error) ? undefined : await findStanding(named, deps);
    if (standing !== undefined) return standing;
    const expired = EXPIRED_TRIGGERS.has(slackErrorName(error) ?? '');
    deps.log.warn({ err: error, action: click.actionId }, 'A form did not open.');
    const text = expired ? SENTENCES.formExpired : SENTENCES.formFailed;
    // What stands open stays as it is.
    const origin = isOver ? { ...click.origin, viewId: undefined } : click.origin;
    await answerPerson(origin, text, deps, buildMessageView);
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
