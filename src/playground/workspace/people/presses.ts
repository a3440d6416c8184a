import { findElement, hasElement, type PlacedElement } from '../blocks/walk-blocks.ts';
import { toEventMessage } from '../delivery/message-events.ts';
import { compact, isJson, type Json, toRecords, toText } from '../json-value.ts';
import type { StoredMessage } from '../state/message-store.ts';
import type { DirectoryMember } from '../state/slack-directory.ts';
import {
  collectState,
  type Entered,
  enterValues,
  optionOf,
  toElementState,
} from '../views/form-state.ts';
import { type HeldView, toSlackView } from '../views/views.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import type { Ack, ClickTarget, ViewClickTarget, Workspace } from '../workspace-port.ts';
import { describeActor, type PeopleContext } from './interaction-context.ts';
import type { Suggestions } from './option-suggestions.ts';

/** People's clicks on elements. */
export type PressActions = Pick<Workspace, 'click' | 'clickInView' | 'clickInHome'>;

/** Creates the click actions of people. */
export function createPressActions(context: PeopleContext, suggestions: Suggestions): PressActions {
  const { core, views } = context;
  return {
    click: (name, target) => click(context, suggestions, name, target),
    clickInView: async (name, target) => {
      const member = core.directory.member(name);
      return clickIn(context, member, views.stackOf(member.id).at(-1), target);
    },
    clickInHome: async (name, target) => {
      const member = core.directory.member(name);
      return clickIn(context, member, views.homeOf(member.id), target);
    },
  };
}

/** Clicks an element of a message. */
async function click(
  context: PeopleContext,
  suggestions: Suggestions,
  name: string,
  target: ClickTarget,
): Promise<Ack> {
  const { core, triggers, responseUrls } = context;
  const member = core.directory.member(name);
  const message = asOnScreen(core, findVisible(core, member, target), target);
  const placed = findElement(message.blocks, target.actionId, target.blockId);
  const element = { ...placed.element, offered: suggestions.offeredIn(message, placed) };
  const channel = core.directory.channel(message.channel);
  const action = toAction({ ...placed, element }, target, core.nextTs());
  const isEphemeral = message.visibleTo !== undefined;
  return send(context, member, {
    type: 'block_actions',
    ...describeActor(member, core.enterprise),
    container: compact({
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: isEphemeral,
      thread_ts: message.threadTs,
    }),
    channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
    // Slack omits the content of an ephemeral message.
    ...(isEphemeral ? {} : { message: toEventMessage(core, message) }),
    trigger_id: triggers.issue({ userId: member.id }),
    response_url: responseUrls.issue({
      userId: member.id,
      channel: channel.id,
      source: message,
    }),
    state: { values: collectState(message.blocks, {}) },
    actions: [action],
  });
}

function findVisible(
  core: WorkspaceCore,
  member: DirectoryMember,
  target: ClickTarget,
): StoredMessage {
  const channel = core.directory.channel(target.channel);
  const message = core.messages.find(channel.id, target.ts);
  const isVisible =
    message !== undefined &&
    channel.members.includes(member.id) &&
    (message.visibleTo === undefined || message.visibleTo === member.id);
  if (!isVisible) {
    throw new Error(`${member.name} sees no message ${target.ts} in ${channel.name}.`);
  }
  return message;
}

/** The second click of a double click may come after the first has changed the message. */
function asOnScreen(core: WorkspaceCore, now: StoredMessage, target: ClickTarget): StoredMessage {
  if (!target.isFromScreen) return now;
  const { channel, ts } = now;
  const versions = [now, ...core.messages.before(channel, ts)];
  return versions.find(({ blocks }) => hasElement(blocks, target)) ?? now;
}

/** Clicks an element of a modal or of Home. */
async function clickIn(
  context: PeopleContext,
  member: DirectoryMember,
  view: HeldView | undefined,
  target: ViewClickTarget,
): Promise<Ack> {
  const { core, triggers, views } = context;
  if (view === undefined) {
    throw new Error(`${member.name} has no such view open.`);
  }
  const blocks = toRecords(view.content.blocks);
  const placed = findElement(blocks, target.actionId, target.blockId);
  const offered = view.offered[placed.blockId]?.[target.actionId] ?? [];
  const element = { ...placed.element, offered };
  const action = toAction({ ...placed, element }, target, core.nextTs());
  const chosen = target.option ?? target.value;
  const before = enterValues(blocks, view.typed, target.values ?? {}, view.offered);
  const isField = 'offered' in element && chosen !== undefined && hasState(placed.element);
  const typed = isField
    ? {
        ...before,
        [placed.blockId]: { ...before[placed.blockId], [target.actionId]: chosen },
      }
    : before;
  const marked = views.mark(view, { typed });
  return send(context, member, {
    type: 'block_actions',
    ...describeActor(member, core.enterprise),
    container: { type: 'view', view_id: view.id },
    trigger_id: triggers.issue({ userId: member.id, viewId: view.id }),
    view: toSlackView(marked, true),
    actions: [action],
  });
}

async function send(
  { core, toasts }: PeopleContext,
  member: DirectoryMember,
  payload: Json,
): Promise<Ack> {
  const ack = await core.delivery.interaction(payload);
  if (ack.kind !== 'acknowledged') {
    toasts.show(member.id, "Countersign isn't responding. Try again.");
  }
  return ack;
}

const PRESSED = new Set(['button', 'icon_button', 'workflow_button']);

function hasState(element: Json): boolean {
  const type = toText(element.type);
  return !PRESSED.has(type) && type !== 'overflow' && type !== 'feedback_buttons';
}

interface Choice {
  readonly option?: string;
  readonly value?: string;
}

/**
 * Returns the entry in `actions` for one click.
 * https://docs.slack.dev/reference/interaction-payloads/block_actions-payload
 */
function toAction({ blockId, element }: PlacedElement, choice: Choice, ts: string): Json {
  const type = toText(element.type);
  return compact({
    action_id: element.action_id,
    block_id: blockId,
    action_ts: ts,
    confirm: element.confirm,
    type,
    ...toChoice(type, element, choice),
  });
}

function toChoice(type: string, element: Json, { option, value }: Choice): Json {
  if (PRESSED.has(type)) {
    return { text: element.text, value: element.value, style: element.style };
  }
  if (type === 'feedback_buttons') {
    return toFeedback(element, option ?? value ?? '');
  }
  const chosen: Entered | undefined = option ?? value;
  if (type === 'overflow') {
    return { selected_option: optionOf(element, chosen ?? '') };
  }
  return toElementState(element, chosen);
}

function toFeedback(element: Json, chosen: string): Json {
  for (const name of ['positive', 'negative']) {
    const button = element[`${name}_button`];
    if (isJson(button) && [name, button.value].includes(chosen)) {
      return { value: button.value, text: button.text };
    }
  }
  throw new Error(`"${chosen}" is neither of the feedback buttons.`);
}
