import { findElement, listElements, type PlacedElement } from '../blocks/walk-blocks.ts';
import { toEventMessage } from '../delivery/message-events.ts';
import { isJson, type Json, toRecords, toText } from '../json-value.ts';
import type { StoredMessage } from '../state/message-store.ts';
import type { DirectoryMember } from '../state/slack-directory.ts';
import { type HeldView, toSlackView } from '../views/views.ts';
import type { Workspace } from '../workspace-port.ts';
import { describeActor, type PeopleContext } from './interaction-context.ts';
import { isVisible } from './visible-workspace.ts';

/** The choices offered by external selects. */
export interface Suggestions extends Pick<Workspace, 'suggest'> {
  /** The options that a select in a message has offered so far. */
  offeredIn(message: StoredMessage, placed: PlacedElement): readonly Json[];
}

/**
 * The minimum length of a query.
 * https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element#external_select
 */
const DEFAULT_MIN_QUERY = 3;

/** Creates the suggestions, initially empty. */
export function createSuggestions(context: PeopleContext): Suggestions {
  const { core, views } = context;
  const inMessages = new Map<string, readonly Json[]>();
  const keyOf = ({ channel, ts }: StoredMessage, { blockId, element }: PlacedElement): string =>
    [channel, ts, blockId, toText(element.action_id)].join(' ');

  async function queryInMessage(
    member: DirectoryMember,
    message: StoredMessage,
    actionId: string,
    typed: string,
  ) {
    const placed = findElement(message.blocks, actionId);
    const options = await query(context, member, placed, typed, {
      container: { type: 'message', message_ts: message.ts, channel_id: message.channel },
      channel: { id: message.channel, name: core.directory.channel(message.channel).name },
      message: toEventMessage(core, message),
    });
    const key = keyOf(message, placed);
    inMessages.set(key, [...(inMessages.get(key) ?? []), ...options]);
    return options;
  }

  return {
    offeredIn: (message, placed) => inMessages.get(keyOf(message, placed)) ?? [],
    suggest: async (name, actionId, typed) => {
      const member = core.directory.member(name);
      const view = views.stackOf(member.id).at(-1);
      const message = core.messages
        .all()
        .filter((one) => isVisible(core, member.id, one))
        .findLast(({ blocks }) => hasAction(blocks, actionId));
      const options =
        view !== undefined && hasAction(toRecords(view.content.blocks), actionId)
          ? await queryInView(context, member, view, actionId, typed)
          : message !== undefined && (await queryInMessage(member, message, actionId, typed));
      if (options === false) {
        throw new Error(`${member.name} sees no menu "${actionId}".`);
      }
      return options.map((option) => ({
        text: isJson(option.text) ? toText(option.text.text) : '',
        value: toText(option.value),
      }));
    },
  };
}

/** Asks the app for the options of a select. */
async function query(
  { core, toasts }: PeopleContext,
  member: DirectoryMember,
  placed: PlacedElement,
  typed: string,
  where: Json,
): Promise<readonly Json[]> {
  if (typed.length < Number(placed.element.min_query_length ?? DEFAULT_MIN_QUERY)) {
    return [];
  }
  const ack = await core.delivery.interaction({
    type: 'block_suggestion',
    ...describeActor(member, core.enterprise),
    ...where,
    action_id: placed.element.action_id,
    block_id: placed.blockId,
    value: typed,
  });
  const body = ack.kind === 'acknowledged' && isJson(ack.body) ? ack.body : {};
  const groups = toRecords(body.option_groups).flatMap((group) => toRecords(group.options));
  const options = [...toRecords(body.options), ...groups];
  if (ack.kind !== 'acknowledged' || options.length > 100) {
    toasts.show(member.id, 'Menu options could not be loaded.');
    return [];
  }
  return options;
}

async function queryInView(
  context: PeopleContext,
  member: DirectoryMember,
  view: HeldView,
  actionId: string,
  typed: string,
) {
  const { views } = context;
  const placed = findElement(toRecords(view.content.blocks), actionId);
  const options = await query(context, member, placed, typed, {
    container: { type: 'view', view_id: view.id },
    view: toSlackView(view, true),
  });
  const now = views.stackOf(member.id).find(({ id }) => id === view.id);
  if (now !== undefined) {
    const block = now.offered[placed.blockId] ?? {};
    const known = block[actionId] ?? [];
    views.mark(now, {
      offered: {
        ...now.offered,
        [placed.blockId]: { ...block, [actionId]: [...known, ...options] },
      },
    });
  }
  return options;
}

function hasAction(blocks: readonly Json[], actionId: string): boolean {
  return listElements(blocks).some(({ element }) => element.action_id === actionId);
}
