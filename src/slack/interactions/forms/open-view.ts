import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import { buildMessageView } from '../../forms/draw/small-views.ts';
import type { ClickBase } from '../../inbound/interaction.ts';
import { SENTENCES } from '../../text/outcome-sentences.ts';
import { EXPIRED_TRIGGERS, slackErrorName } from '../../transport/slack-errors.ts';
import { answerPerson, type HandlerDeps } from '../handler.ts';

/**
 * Opens a view with a click’s trigger; with `isOnTop` on top of the current view. Resolves with the
 * view’s id. If it did not open, tells the person and resolves with undefined.
 */
export async function openView(
  view: ModalView,
  click: ClickBase,
  deps: Pick<HandlerDeps, 'client' | 'privateNotices' | 'log'>,
  { isOnTop = false }: { readonly isOnTop?: boolean } = {},
): Promise<string | undefined> {
  const identified = { ...view, external_id: randomUUID() };
  const { client } = deps;
  const request = { trigger_id: click.triggerId, view: identified };
  try {
    const opened = await (isOnTop ? client.views.push(request) : client.views.open(request));
    return opened.view?.id;
  } catch (error) {
    // If only the response was lost, the view is open and found by its external id.
    const openId = isSlackError(error) ? undefined : await findOpenView(identified, deps);
    if (openId !== undefined) return openId;
    const isExpired = EXPIRED_TRIGGERS.has(slackErrorName(error) ?? '');
    deps.log.warn({ err: error, action: click.id }, 'A form did not open.');
    const text = isExpired ? SENTENCES.formExpired : SENTENCES.formFailed;
    // Keep the view below unchanged.
    const origin = isOnTop ? { ...click.origin, viewId: undefined } : click.origin;
    await answerPerson(origin, text, deps, buildMessageView);
    return undefined;
  }
}

/** Returns whether Slack responded with an error, so that no view was opened. */
function isSlackError(error: unknown): boolean {
  return slackErrorName(error) !== undefined;
}

async function findOpenView(
  view: ModalView & { readonly external_id: string },
  { client }: Pick<HandlerDeps, 'client'>,
): Promise<string | undefined> {
  const { external_id } = view;
  const found = await client.views.update({ external_id, view }).catch(() => undefined);
  return found?.view?.id;
}
