import type {
  Ack,
  Channel,
  FormValues,
  JournalEntry,
  WorkspaceView,
} from '../../workspace/workspace-port.ts';
import type { Choice, Press } from './element-host.ts';
import type { PageStart, SuggestionResult, WorkspaceFile } from './page-start.ts';

/** A file attached to a message. */
export interface Attachment {
  readonly name: string;
  readonly mimetype: string;
  readonly base64: string;
}

/** One person's actions, as requests to the page's server. Each rejects with a message to show. */
export interface Backend {
  workspace(): Promise<WorkspaceView>;
  journal(after: number): Promise<readonly JournalEntry[]>;
  files(): Promise<readonly WorkspaceFile[]>;
  say(message: {
    channel: string;
    text: string;
    threadTs?: string;
    files?: readonly Attachment[];
  }): Promise<{ ts: string }>;
  /** Runs a suggestion. */
  tryOut(suggestion: { channel: string; label: string }): Promise<SuggestionResult>;
  edit(message: { channel: string; ts: string; text: string }): Promise<void>;
  remove(message: { channel: string; ts: string }): Promise<void>;
  click(target: Press & { channel: string; ts: string }): Promise<Ack>;
  clickInView(target: Press & { values: FormValues }): Promise<Ack>;
  clickInHome(target: Press & { values: FormValues }): Promise<Ack>;
  submit(values: FormValues): Promise<Ack>;
  close(): Promise<void>;
  suggest(actionId: string, typed: string): Promise<readonly Choice[]>;
  command(command: {
    channel: string;
    command: string;
    text: string;
    threadTs?: string;
  }): Promise<Ack>;
  openHome(): Promise<void>;
  /** Notifies the app that its Messages tab was opened. */
  openMessages(): Promise<void>;
  /** Clicks Slack's stop button of a session. */
  stopSession(session: { channel: string; threadTs: string }): Promise<void>;
  directMessage(): Promise<Channel>;
  /** Sets the members of a user group, by name. */
  setGroup(handle: string, members: readonly string[]): Promise<void>;
}

/** Fetches what the page needs before its first render. */
export function fetchStart(): Promise<PageStart> {
  return request('/ui/start');
}

/** Creates the backend of one person. */
export function createBackend(as: string): Backend {
  const who = encodeURIComponent(as);
  const post = <T>(path: string, body: object) =>
    request<T>(`/ui/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ as, ...body }),
    });
  return {
    workspace: () => request(`/ui/sight?as=${who}`),
    journal: (after) => request(`/ui/journal?after=${after}`),
    files: () => request('/ui/files'),
    say: (message) => post('say', message),
    tryOut: (suggestion) => post('try', suggestion),
    edit: (message) => post('edit', message),
    remove: (message) => post('remove', message),
    click: (target) => post('click', target),
    clickInView: (target) => post('click-in-view', target),
    clickInHome: (target) => post('click-in-home', target),
    submit: (values) => post('submit', { values }),
    close: () => post('close', {}),
    suggest: (actionId, typed) => post('suggest', { actionId, typed }),
    command: (command) => post('command', command),
    openHome: () => post('open-home', {}),
    openMessages: () => post('open-messages', {}),
    stopSession: (session) => post('stop-session', session),
    directMessage: () => post('dm', {}),
    setGroup: (handle, members) => post('set-group', { handle, members }),
  };
}

async function request<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, init).catch((cause: unknown) => {
    throw new Error('The playground does not answer. Is it still running?', { cause });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  throw new Error(errorOf(body) ?? `The playground answered ${response.status}.`);
}

function errorOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  return String(body.error);
}
