/** Actions and views of people on the simulated workspace, in the terms of the journeys. */
import type {
  Ack,
  Workspace,
  WorkspaceMessage,
} from '../../../src/playground/workspace/workspace-port.ts';

/** A thread of the workspace. */
export interface Place {
  readonly channel: string;
  readonly root: string;
}

/** The line of one call on a card for several calls, with the button that opens it. */
export interface CallLine {
  readonly card: WorkspaceMessage;
  /** The value of its button, which identifies the call. */
  readonly value: string;
  readonly text: string;
}

/** People and their threads. */
export interface Scene {
  /** A message to the agent that starts a thread in a channel. */
  ask(member: string, text: string, channel?: string): Promise<Place>;
  /** A direct message to the agent, which starts a thread. */
  askDirectly(member: string, text: string): Promise<Place>;
  /** A message in a thread, without a mention. */
  write(member: string, place: Place, text: string): Promise<WorkspaceMessage>;
  /** All current messages of a thread, oldest first. */
  thread(place: Place): readonly WorkspaceMessage[];
  /** The current cards of a thread, oldest first. */
  cards(place: Place): readonly WorkspaceMessage[];
  /** Waits until a card in the thread shows all of this. */
  card(place: Place, ...parts: readonly string[]): Promise<WorkspaceMessage>;
  /** The current lines of the cards for several calls, from top to bottom. */
  lines(place: Place): readonly CallLine[];
  /** Waits until a line on a card for several calls shows all of this. */
  line(place: Place, ...parts: readonly string[]): Promise<CallLine>;
  press(member: string, card: WorkspaceMessage, actionId: string): Promise<Ack>;
  /** Opens a call from its line. */
  openLine(member: string, line: CallLine): Promise<Ack>;
  /** Opens a call from its line, and presses a button of its view. */
  pressLine(member: string, line: CallLine, actionId: string): Promise<Ack>;
  /** Waits until a form with this title, which can be submitted, is open. */
  form(member: string, title: string): Promise<void>;
  /** Waits until the top modal of the person shows this. */
  view(member: string, text: string): Promise<void>;
  /** Waits for a message of the app in the thread with this text. */
  answer(place: Place, text: string): Promise<WorkspaceMessage>;
  /** Waits for a message that only this person sees. */
  privately(member: string, text: string): Promise<WorkspaceMessage>;
}

const PATIENCE_MS = 20_000;
const PEOPLE = ['requester', 'approver', 'outsider', 'stranger'] as const;

/** Adds people to a workspace; `report` is what a failed wait adds to its message. */
export function createScene(workspace: Workspace, report: () => string): Scene {
  function messagesOf(channel: string): readonly WorkspaceMessage[] {
    const sights = PEOPLE.map((name) => workspace.see(name));
    const sight = sights.find(({ channels }) => channels.some(({ id }) => id === channel));
    return sight?.messages.filter((message) => message.channel === channel) ?? [];
  }

  const thread = ({ channel, root }: Place) =>
    messagesOf(channel).filter((message) => (message.threadTs ?? message.ts) === root);

  const cards = (place: Place) =>
    thread(place).filter(({ metadata }) => metadata?.event_type === 'countersign_card');

  async function find<T>(what: string, look: () => T | undefined): Promise<T> {
    const describe = () => `No ${what}.\n${seen()}\n--- app\n${report()}`;
    return await workspace.waitFor(look, { timeoutMs: PATIENCE_MS, describe });
  }

  function seen(): string {
    const { messages } = workspace.see('requester');
    return messages.map((message) => `${message.ts} ${allText(message)}`).join('\n---\n');
  }

  async function begin(member: string, channel: string, text: string): Promise<Place> {
    const { ts } = await workspace.say(member, channel, text);
    return { channel, root: ts };
  }

  async function openLine(member: string, { card, value }: CallLine): Promise<Ack> {
    const { channel, ts } = card;
    // The card may have been updated since.
    const now = messagesOf(channel).filter((message) => message.ts === ts);
    const line = now.flatMap(linesOf).find((each) => each.value === value);
    const actionId = line?.open ? 'call.review' : 'call.open';
    return await workspace.click(member, { channel, ts, actionId, blockId: line?.blockId ?? '' });
  }

  const topOf = (member: string) => workspace.see(member).views.at(-1)?.view;

  return {
    thread,
    cards,
    ask: (member, text, channel = 'general') =>
      begin(member, workspace.channel(channel).id, `\${bot} ${text}`),
    async askDirectly(member, text) {
      const { id } = await workspace.directMessage(member);
      return await begin(member, id, text);
    },
    write: (member, { channel, root }, text) =>
      workspace.say(member, channel, text, { threadTs: root }),
    card: (place, ...parts) =>
      find(`card with ${parts.join(', ')}`, () =>
        cards(place).find((card) => parts.every((part) => says(card, part))),
      ),
    lines: (place) => cards(place).flatMap(linesOf),
    line: (place, ...parts) =>
      find(`line with ${parts.join(', ')}`, () =>
        cards(place)
          .flatMap(linesOf)
          .find(({ text, open }) => parts.every((part) => saysLine(text, open, part))),
      ),
    press: (member, card, actionId) =>
      workspace.click(member, { channel: card.channel, ts: card.ts, actionId }),
    openLine,
    async pressLine(member, line, actionId) {
      const before = topOf(member)?.id;
      await openLine(member, line);
      await find(`opened call with ${actionId}`, () => {
        const top = topOf(member);
        return top?.id !== before && idsIn(top?.blocks).includes(actionId) ? true : undefined;
      });
      return await workspace.clickInView(member, { actionId });
    },
    async form(member, title) {
      await find(`form “${title}”`, () => {
        const top = topOf(member);
        const isIt = top?.type === 'modal' && top.submit && top.title.text === title;
        return isIt ? true : undefined;
      });
    },
    async view(member, text) {
      await find(`view with ${text}`, () => {
        const top = topOf(member);
        return top && readable(top.blocks).join('\n').includes(text) ? true : undefined;
      });
    },
    answer: (place, text) =>
      find(`answer with ${text}`, () =>
        thread(place).find(
          (message) => message.user === workspace.app.botUserId && allText(message).includes(text),
        ),
      ),
    privately: (member, text) =>
      find(`private message to ${member} with ${text}`, () => {
        const { me, messages } = workspace.see(member);
        return messages.find(
          (message) =>
            allText(message).includes(text) &&
            (message.visibleTo === me.id || isDirect(workspace, member, message)),
        );
      }),
  };
}

/** The symbols of call states that a test can ask for; other texts are looked for literally. */
const STATES: Readonly<Record<string, RegExp>> = {
  Done: /^:white_check_mark: (?!\*Approved)/,
  Failed: /^:x: /,
  Ignored: /^:no_entry_sign: /,
  Replied: /^:speech_balloon: /,
  Withdrawn: /^(?::leftwards_arrow_with_hook:|⏹) /,
  Expired: /^:alarm_clock: /,
  Refused: /^:no_entry: /,
};

const DECISIONS: ReadonlySet<string> = new Set(
  ['approve', 'edit', 'reply', 'ignore'].map((each) => `call.${each}`),
);

/** Returns whether a card shows this text or state. */
export function says(card: WorkspaceMessage, part: string): boolean {
  if (part === 'Waiting for a decision') return idsIn(card.blocks).some((id) => DECISIONS.has(id));
  return STATES[part]?.test(allText(card)) ?? allText(card).includes(part);
}

/** The line of a settled call is all that is left of it on the card. */
function linesOf(
  card: WorkspaceMessage,
): readonly (CallLine & { readonly blockId: string; readonly open: boolean })[] {
  return card.blocks.flatMap((block) => {
    if (block.type !== 'section' || block.accessory === undefined) return [];
    const { accessory, block_id: blockId = '' } = block;
    const { action_id: id, value = '' } = accessory as { action_id?: string; value?: string };
    if (id !== 'call.review' && id !== 'call.open') return [];
    const text = readable(block.text).join('');
    return [{ card, value, blockId, text, open: id === 'call.review' }];
  });
}

function saysLine(text: string, open: boolean, part: string): boolean {
  if (part === 'Waiting for a decision') return open && text.startsWith(':raised_hand:');
  return STATES[part]?.test(text) ?? text.includes(part);
}

function idsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'action_id' ? [String(inner)] : idsIn(inner),
  );
}

function isDirect(workspace: Workspace, member: string, message: WorkspaceMessage): boolean {
  const { channels } = workspace.see(member);
  return channels.some(({ id, kind }) => id === message.channel && kind === 'im');
}

/** All readable text of a message, block by block. */
export function allText(message: {
  readonly text: string;
  readonly blocks: readonly unknown[];
}): string {
  return message.blocks.length === 0 ? message.text : readable(message.blocks).join('\n');
}

function readable(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(readable);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'text' && typeof inner === 'string') return [inner];
    return key === 'value' ? [] : readable(inner);
  });
}
