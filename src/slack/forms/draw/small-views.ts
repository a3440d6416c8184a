import type { ModalView } from '@slack/types';
import { buildNotice } from '../../outbound/build-messages.ts';
import { VIEWS } from '../../transport/ids.ts';

/** Builds the view that opens immediately, before anything is loaded. */
export function buildLoadingView(text = 'Loading the call…'): ModalView {
  return {
    type: 'modal',
    callback_id: VIEWS.loading,
    title: { type: 'plain_text', text: 'One moment' },
    close: { type: 'plain_text', text: 'Close' },
    blocks: [{ type: 'section', text: { type: 'plain_text', text }, expand: true }],
  };
}

/** Builds a view with one message, which must be our own text. */
export function buildMessageView(text: string): ModalView {
  return {
    type: 'modal',
    callback_id: VIEWS.message,
    title: { type: 'plain_text', text: 'Countersign' },
    close: { type: 'plain_text', text: 'Close' },
    blocks: buildNotice(text).blocks,
  };
}
