import type { ModalView } from '@slack/types';
import { ROUTE_VIEWS } from './route-ids.ts';
import { buildRoutesBlocks, type ShownRoutes } from './routes-blocks.ts';

/** Builds the modal that lists the routes, with a notice at the top. */
export function buildRoutesModal(found: ShownRoutes, notice?: string): ModalView {
  return {
    type: 'modal',
    callback_id: ROUTE_VIEWS.list,
    title: { type: 'plain_text', text: 'Routes' },
    close: { type: 'plain_text', text: 'Close' },
    blocks: buildRoutesBlocks(found, notice),
  };
}
