/**
 * The simulated Slack workspace as its two users see it: the tests drive it as people would, the
 * playground's page shows it. The app under test sees only HTTP and WebSocket, as from Slack.
 */

import type { KnownBlock, View } from '@slack/types';
import type { AgentSession, OfferedPrompts } from './state/agent-sessions.ts';

/** A member of the workspace, or a stranger from another one (a `teamId` of its own). */
export interface Member {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly realName: string;
  readonly isBot: boolean;
  readonly isGuest: boolean;
  readonly isAdmin: boolean;
}

export interface Channel {
  readonly id: string;
  /** Without `#`; for a DM the other member's id. */
  readonly name: string;
  readonly kind: 'channel' | 'private' | 'im';
  readonly members: readonly string[];
}

export interface WorkspaceMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string;
  /** Absent on messages that only a bot id identifies. */
  readonly user?: string;
  readonly botId?: string;
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  readonly files: readonly { id: string; name: string; mimetype: string; size: number }[];
  readonly reactions: readonly { name: string; users: readonly string[] }[];
  readonly metadata?: { event_type: string; event_payload: Record<string, unknown> };
  /** Set when only this member sees it (an ephemeral message). */
  readonly visibleTo?: string;
  readonly editedTs?: string;
  readonly streaming: boolean;
}

/** An open modal of one person; the last of the stack is on top. */
export interface OpenView {
  readonly id: string;
  readonly hash: string;
  readonly view: View & { id: string };
  /** Errors of the last submission, by block id. */
  readonly errors: Readonly<Record<string, string>>;
  /** What stands in the fields, as `view.state.values` has it: block id, action id, element state. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** One thing that passed between Slack and the app, in order. */
export interface JournalEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'event' | 'interaction' | 'command' | 'api' | 'response_url' | 'socket';
  /** Event type, interaction type, command or API method. */
  readonly name: string;
  readonly request: unknown;
  /** What the other side answered: the acknowledgement or the API's answer; absent while it waits. */
  readonly answer?: unknown;
  readonly ok?: boolean;
  /** What the strict validator, or a refused acknowledgement, had to say. */
  readonly problem?: string;
}

/** How the app's manifest declares it: with `agent_view`, or with the older `assistant_view`. */
export type AppForm = 'agent' | 'assistant';

/** What a person sees: nothing of other people's ephemeral messages, DMs or modals. */
export interface WorkspaceView {
  readonly me: Member;
  readonly members: readonly Member[];
  readonly channels: readonly Channel[];
  /** The user groups, with the ids of who is in them. */
  readonly groups: readonly { id: string; handle: string; members: readonly string[] }[];
  /** All messages of the viewer's channels, oldest first. */
  readonly messages: readonly WorkspaceMessage[];
  /** Status line of the app in a thread, as `assistant.threads.setStatus` left it. */
  readonly statuses: readonly { channel: string; threadTs: string; status: string }[];
  /** Threads that are sessions of the app, with what it set on them. */
  readonly sessions: readonly AgentSession[];
  /** Prompts that the app offers. */
  readonly prompts: readonly OfferedPrompts[];
  readonly views: readonly OpenView[];
  readonly home?: View;
  readonly toasts: readonly { at: number; text: string }[];
}

/** How a call of the Web API goes wrong; `lost` does the work and drops the connection, `reset` only drops it. */
export type ApiFault =
  | { kind: 'rate-limited'; retryAfterS: number }
  | { kind: 'status'; status: number; body?: string }
  | { kind: 'error'; error: string }
  | { kind: 'lost' }
  | { kind: 'reset' }
  | { kind: 'hang' };

export interface Faults {
  /** The next `times` calls of the method (`*`: any) fail so. */
  api(method: string, fault: ApiFault, times?: number): void;
  /** Of the calls of these methods together, each `nth` fails so. */
  apiEach(nth: number, methods: readonly string[], fault: ApiFault): void;
  /** Each event is delivered this many times, retries marked as Slack marks them. */
  deliverEvents(times: number): void;
  /** Holds events back until `release`. */
  holdEvents(): { release(): Promise<void> };
  /** The next trigger ids are already expired. */
  expireTriggers(times: number): void;
  /** Socket Mode: Slack asks for a reconnection (`refresh`) or the line breaks (`drop`). */
  disconnectSockets(how: 'refresh' | 'drop'): void;
  /** Forgets every fault. */
  clear(): void;
}

/**
 * How the app answered a delivery; `refused` is a status of 400 or more, `unanswered` no answer in 3 s,
 * `blocked` what Slack's own client refused and never delivered (errors by block id, or under `''`).
 */
export type Ack =
  | { kind: 'acknowledged'; body: unknown }
  | { kind: 'refused'; status: number; body: string }
  | { kind: 'unanswered' }
  | { kind: 'blocked'; errors: Readonly<Record<string, string>> };

/** An element of a modal or a Home tab to press, and what stands in the fields at that moment. */
export interface ViewClickTarget {
  readonly actionId: string;
  readonly blockId?: string;
  readonly option?: string;
  readonly value?: string;
  readonly values?: FormValues;
}

export interface ClickTarget {
  readonly channel: string;
  readonly ts: string;
  readonly actionId: string;
  /** Needed when the action id occurs more than once. */
  readonly blockId?: string;
  /** The chosen option's value, for menus and overflows. */
  readonly option?: string;
  /** The text typed or chosen, for inputs with `dispatch_action`. */
  readonly value?: string;
  /** The press comes from a screen: it may have shown what a change has taken away meanwhile. */
  readonly isFromScreen?: true;
}

/** By block id, or by action id where that is unique: text, option value(s), number as text, ISO date. */
export type FormValues = Readonly<Record<string, string | readonly string[] | null>>;

export interface Workspace {
  readonly url: string;
  /** What `SLACK_API_URL` is set to; ends in `/api/`. */
  readonly apiUrl: string;
  readonly team: { readonly id: string; readonly name: string; readonly domain: string };
  readonly app: {
    readonly id: string;
    readonly botId: string;
    readonly botUserId: string;
    readonly name: string;
  };
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  readonly faults: Faults;
  readonly journal: readonly JournalEntry[];

  member(name: string): Member;
  channel(name: string): Channel;
  /** The DM between the app and this member, opened when there is none. */
  directMessage(memberName: string): Promise<Channel>;

  /** From now on events and interactions go here; `socket` waits for the app to connect. */
  deliverTo(target: { kind: 'http'; url: string } | { kind: 'socket' }): void;
  /** Resolves when the app has an open socket. */
  connected(): Promise<void>;

  /** Makes a member somebody else: deactivated, a guest, an admin, of other workspaces. */
  changeMember(
    name: string,
    changes: {
      deleted?: boolean;
      isGuest?: boolean;
      isAdmin?: boolean;
      /** The workspaces of the organization that they belong to now. */
      teams?: readonly string[];
    },
  ): void;
  /** Sets the members of a user group, made when there is none; answers its id. */
  setUserGroup(handle: string, memberNames: readonly string[]): string;
  /** Puts a member, or the app (`countersign`), into a channel. */
  join(memberName: string, channel: string): Promise<void>;

  /**
   * Posts as a person; resolves when the app has acknowledged every event of it. An event that was
   * refused twice is repeated after a minute and five more by the clock, and no longer waited for;
   * neither is one that `holdEvents` holds. `${bot}` in the text is the app's mention.
   */
  say(
    member: string,
    channel: string,
    text: string,
    options?: {
      threadTs?: string;
      files?: readonly { name: string; content: string | Uint8Array; mimetype: string }[];
    },
  ): Promise<WorkspaceMessage>;
  /** Tells the app of a message once more, as Slack does where it is not sure. */
  repeat(channel: string, ts: string): Promise<void>;
  edit(member: string, channel: string, ts: string, text: string): Promise<void>;
  remove(member: string, channel: string, ts: string): Promise<void>;
  /** Delivers an event made by hand, envelope added where it lacks one: for what Slack sends in odd cases. */
  deliverEvent(
    event: Record<string, unknown>,
    options?: { envelope?: Record<string, unknown>; retryNum?: number; retryReason?: string },
  ): Promise<Ack>;
  /** Delivers a signed interaction made by hand: for tampered payloads. */
  deliverInteraction(payload: Record<string, unknown>): Promise<Ack>;

  /** Presses what the person can see on that message now, or on a screen could until just now; throws when it is not there. */
  click(member: string, target: ClickTarget): Promise<Ack>;
  /** Presses an element of the person's top modal. */
  clickInView(member: string, target: ViewClickTarget): Promise<Ack>;
  /** Presses an element of the person's Home tab. */
  clickInHome(member: string, target: ViewClickTarget): Promise<Ack>;
  /** Submits the person's top modal, untouched fields with their initial values. */
  submit(member: string, values: FormValues): Promise<Ack>;
  /** Closes the person's top modal. */
  close(member: string): Promise<void>;
  /** The choices an external select offers for what was typed. */
  suggest(
    member: string,
    actionId: string,
    typed: string,
  ): Promise<readonly { text: string; value: string }[]>;
  /** Slack has no slash commands in threads: with `threadTs` the person gets Slack's toast, the app nothing. */
  command(
    member: string,
    channel: string,
    command: string,
    text: string,
    options?: { threadTs?: string },
  ): Promise<Ack>;
  openHome(member: string): Promise<void>;
  /** Presses Slack's own stop button of a session that is `processing`; throws when it shows none. */
  stopSession(member: string, channel: string, threadTs: string): Promise<void>;
  /** Opens the Messages tab of the app; resolves when the app has acknowledged it, with the DM. */
  openMessages(member: string): Promise<{ channel: string }>;
  /** Opens a new chat in the assistant pane of an app of the older form: a thread in the DM, with `assistant_thread_started`. */
  openAssistant(member: string): Promise<{ channel: string; threadTs: string }>;

  see(member: string): WorkspaceView;
  /** Calls at each change of anything a person could see, and at each journal entry. */
  onChange(listener: () => void): () => void;
  /** Resolves with the first defined answer of `look`, asked now and at each change; rejects after the time-out with what `describe` says. */
  waitFor<T>(
    look: () => T | undefined,
    options?: { timeoutMs?: number; describe?: () => string },
  ): Promise<T>;
  stop(): Promise<void>;
}
