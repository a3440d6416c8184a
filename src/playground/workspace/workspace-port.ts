/**
 * The interface of the simulated Slack workspace. Tests use it to act as people; the playground's
 * page uses it to show the workspace. The app itself only sees HTTP and WebSocket, as from Slack.
 */

import type { KnownBlock, View } from '@slack/types';
import type { AgentSession, OfferedPrompts } from './state/agent-sessions.ts';

/** A member of the workspace, or a stranger from another one, with another `teamId`. */
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
  /** Without `#`. For a DM: the other member's id. */
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
  /** The only member who sees the message, if it is ephemeral. */
  readonly visibleTo?: string;
  readonly editedTs?: string;
  readonly streaming: boolean;
}

/** An open modal of one person. The last of the stack is on top. */
export interface OpenView {
  readonly id: string;
  readonly hash: string;
  readonly view: View & { id: string };
  /** Errors of the last submission, by block id. */
  readonly errors: Readonly<Record<string, string>>;
  /** The current values, as in `view.state.values`: by block id, then action id. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** A payload, request or connection event between Slack and the app. */
export interface JournalEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'event' | 'interaction' | 'command' | 'api' | 'response_url' | 'socket';
  /** Event type, interaction type, command or API method. */
  readonly name: string;
  readonly request: unknown;
  /** The acknowledgement or the API's answer. Absent while pending. */
  readonly answer?: unknown;
  readonly ok?: boolean;
  /** The validator's error, or the reason of a rejected acknowledgement. */
  readonly problem?: string;
}

/** The agent feature in the app's manifest: `agent_view`, or the older `assistant_view`. */
export type AppForm = 'agent' | 'assistant';

/** What one person sees. Excludes other people's ephemeral messages, DMs and modals. */
export interface WorkspaceView {
  readonly me: Member;
  readonly members: readonly Member[];
  readonly channels: readonly Channel[];
  /** The user groups, with the ids of their members. */
  readonly groups: readonly { id: string; handle: string; members: readonly string[] }[];
  /** All messages of the viewer's channels, oldest first. */
  readonly messages: readonly WorkspaceMessage[];
  /** The app's status lines in threads, as set by `assistant.threads.setStatus`. */
  readonly statuses: readonly { channel: string; threadTs: string; status: string }[];
  /** Threads that are sessions of the app, with the values that the app set. */
  readonly sessions: readonly AgentSession[];
  /** Prompts suggested by the app. */
  readonly prompts: readonly OfferedPrompts[];
  readonly views: readonly OpenView[];
  readonly home?: View;
  readonly toasts: readonly { at: number; text: string }[];
}

/**
 * An injected fault of a Web API call. `lost` takes effect and drops the connection; `reset` only
 * drops it.
 */
export type ApiFault =
  | { kind: 'rate-limited'; retryAfterS: number }
  | { kind: 'status'; status: number; body?: string }
  | { kind: 'error'; error: string }
  | { kind: 'lost' }
  | { kind: 'reset' }
  | { kind: 'hang' };

export interface Faults {
  /** Makes the next `times` calls of the method (`*`: any) fail. */
  api(method: string, fault: ApiFault, times?: number): void;
  /** Makes every `nth` call of these methods, counted together, fail. */
  apiEach(nth: number, methods: readonly string[], fault: ApiFault): void;
  /** Delivers each event this many times, with Slack's retry fields. */
  deliverEvents(times: number): void;
  /** Holds events back until `release`. */
  holdEvents(): { release(): Promise<void> };
  /** Makes the next trigger ids expired. */
  expireTriggers(times: number): void;
  /** Socket Mode: Slack requests a reconnect (`refresh`), or the connection breaks (`drop`). */
  disconnectSockets(how: 'refresh' | 'drop'): void;
  /** Removes all faults. */
  clear(): void;
}

/**
 * The result of a delivery. `refused`: status 400 or more. `unanswered`: no answer within 3 s.
 * `blocked`: rejected by Slack's client and not delivered, with errors by block id or under `''`.
 */
export type Ack =
  | { kind: 'acknowledged'; body: unknown }
  | { kind: 'refused'; status: number; body: string }
  | { kind: 'unanswered' }
  | { kind: 'blocked'; errors: Readonly<Record<string, string>> };

/** An element of a modal or Home tab to click, and the field values at that moment. */
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
  /** The click comes from a screen, which may be behind the latest change. */
  readonly isFromScreen?: true;
}

/**
 * Values by block id, or by unique action id: text, option values, a number as text, or an ISO
 * date.
 */
export type FormValues = Readonly<Record<string, string | readonly string[] | null>>;

export interface Workspace {
  readonly url: string;
  /** The value for `SLACK_API_URL`. Ends in `/api/`. */
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
  /** Returns the DM between the app and this member, and opens it if needed. */
  directMessage(memberName: string): Promise<Channel>;

  /** Sets where payloads are delivered. `socket` waits for the app to connect. */
  deliverTo(target: { kind: 'http'; url: string } | { kind: 'socket' }): void;
  /** Resolves when the app has an open socket. */
  connected(): Promise<void>;

  /** Changes a member: deactivated, guest, admin, or workspaces. */
  changeMember(
    name: string,
    changes: {
      deleted?: boolean;
      isGuest?: boolean;
      isAdmin?: boolean;
      /** The member's workspaces in the organization. */
      teams?: readonly string[];
    },
  ): void;
  /** Sets the members of a user group, and creates it if needed. Returns its id. */
  setUserGroup(handle: string, memberNames: readonly string[]): string;
  /** Adds a member, or the app (`countersign`), to a channel. */
  join(memberName: string, channel: string): Promise<void>;

  /**
   * Posts as a person. `${bot}` in the text becomes a mention of the app. Resolves when the app has
   * acknowledged all events; does not wait for delayed retries or held events.
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
  /** Delivers the events of a message again, as Slack does if it is unsure. */
  repeat(channel: string, ts: string): Promise<void>;
  edit(member: string, channel: string, ts: string, text: string): Promise<void>;
  remove(member: string, channel: string, ts: string): Promise<void>;
  /** Delivers a custom event, for unusual cases. Missing envelope fields are added. */
  deliverEvent(
    event: Record<string, unknown>,
    options?: { envelope?: Record<string, unknown>; retryNum?: number; retryReason?: string },
  ): Promise<Ack>;
  /** Delivers a custom signed interaction, for tampered payloads. */
  deliverInteraction(payload: Record<string, unknown>): Promise<Ack>;

  /**
   * Clicks an element that the person can see on the message, or could see until just now on a
   * screen. Throws if there is none.
   */
  click(member: string, target: ClickTarget): Promise<Ack>;
  /** Clicks an element in the person's top modal. */
  clickInView(member: string, target: ViewClickTarget): Promise<Ack>;
  /** Clicks an element in the person's Home tab. */
  clickInHome(member: string, target: ViewClickTarget): Promise<Ack>;
  /** Submits the person's top modal. Untouched fields have their initial values. */
  submit(member: string, values: FormValues): Promise<Ack>;
  /** Closes the person's top modal. */
  close(member: string): Promise<void>;
  /** Returns the choices of an external select for the typed text. */
  suggest(
    member: string,
    actionId: string,
    typed: string,
  ): Promise<readonly { text: string; value: string }[]>;
  /** Runs a slash command. Slack has none in threads: with `threadTs` it only shows a toast. */
  command(
    member: string,
    channel: string,
    command: string,
    text: string,
    options?: { threadTs?: string },
  ): Promise<Ack>;
  openHome(member: string): Promise<void>;
  /** Clicks Slack's stop button. Throws unless the session is `processing`. */
  stopSession(member: string, channel: string, threadTs: string): Promise<void>;
  /** Opens the app's Messages tab. Resolves with the DM when the app has acknowledged it. */
  openMessages(member: string): Promise<{ channel: string }>;
  /**
   * Opens a new chat in the assistant pane (`assistant_view` only): a DM thread, with
   * `assistant_thread_started`.
   */
  openAssistant(member: string): Promise<{ channel: string; threadTs: string }>;

  see(member: string): WorkspaceView;
  /**
   * Calls the listener after each visible change and each journal entry. Returns a function that
   * unsubscribes.
   */
  onChange(listener: () => void): () => void;
  /**
   * Resolves with the first defined result of `find`, called now and after each change. Rejects
   * after the timeout with the text of `describe`.
   */
  waitFor<T>(
    find: () => T | undefined,
    options?: { timeoutMs?: number; describe?: () => string },
  ): Promise<T>;
  stop(): Promise<void>;
}
