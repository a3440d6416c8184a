import type { HelperWork } from '../calls/call.ts';
import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import type { ThreadKey } from './thread-key.ts';

/** A file that a person attached; its bytes are fetched when the turn begins. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  /** In bytes, as Slack says. */
  readonly size: number;
  /** Where its bytes are; absent when Slack does not give them out. */
  readonly url?: string;
}

/** A message that a person wrote to the agent; its id is one per message in Slack, whatever events tell of it. */
export interface InboxMessage {
  readonly id: string;
  readonly thread: ThreadKey;
  readonly author: Person;
  /** Slack's timestamp, also its place in the order. */
  readonly ts: string;
  readonly text: string;
  readonly receivedAt: number;
  /** Until when (ms) an earlier message of the thread may still arrive; absent where none can. */
  readonly orderedAt?: number;
  readonly files?: readonly Attachment[];
  /** It mentions the app in a thread of a channel: what people said there before belongs to it. */
  readonly looksBack?: true;
  /** Slack told only of the mention, which leaves out files. */
  readonly mayHaveFiles?: true;
  /** On a message that an agent wrote to a helper: which one, and the person's line that it all began with. */
  readonly delegated?: {
    readonly agent: string;
    readonly askedLine: string;
    readonly work?: HelperWork;
  };
  /** Who ended its turn, and when. */
  readonly stopped?: { readonly by: Person; readonly at: number };
}

/** Makes the id of a message: one message is one row however often and under however many event ids it comes. */
export function messageId(message: {
  readonly team: string;
  readonly channel: string;
  readonly ts: string;
}): string {
  return `${message.team}/${message.channel}/${message.ts}`;
}

/** Returns the first line that says something, as the card quotes it. */
export function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '') ?? ''
  );
}

/** One tool call as the model wrote it; `args` is its raw text, read by the strict parser only. */
export interface ModelCall {
  /** Unique within its message. */
  readonly id: string;
  readonly tool: string;
  readonly args: string;
  /** What the provider needs back with it, as it came. */
  readonly fields?: ProviderFields;
}

/** Fields beyond the protocol's own that a provider sent, such as thoughts and their signatures; nobody else reads them. */
export type ProviderFields = { readonly [key: string]: JsonValue };

/** An image that a person attached, by its path in the workspace. */
export interface UserImage {
  readonly path: string;
  readonly mimeType: string;
  /** Hexadecimal SHA-256 of the bytes that the person sent. */
  readonly sha256?: string;
}

/** A message of a turn, in the order in which the model sees them. */
export type TurnMessage =
  | {
      readonly role: 'user';
      readonly id: string;
      readonly text: string;
      readonly author: Person;
      readonly at: number;
      /** Images that the model may be shown. */
      readonly images?: readonly UserImage[];
    }
  | {
      readonly role: 'assistant';
      readonly id: string;
      readonly text: string;
      readonly calls: readonly ModelCall[];
      /** Where it came from, and what is needed back there with it. */
      readonly provider?: { readonly origin: string; readonly fields?: ProviderFields };
    }
  | {
      readonly role: 'tool';
      readonly id: string;
      readonly callId: string;
      readonly tool: string;
      readonly text: string;
      readonly status: 'ok' | 'error';
    };

export type AssistantMessage = Extract<TurnMessage, { role: 'assistant' }>;
export type ToolMessage = Extract<TurnMessage, { role: 'tool' }>;

/** Tokens of one answer, as the provider counts them. */
export interface TokenCount {
  readonly input: number;
  readonly output: number;
}

/** What requests to a model took, failed ones included; `tokens` as far as the provider told them. */
export interface ModelCost {
  readonly requests: number;
  /** Time in which the model was waited for, in milliseconds. */
  readonly modelMs: number;
  readonly tokens?: TokenCount;
}

/** What a turn took of the model. */
export interface Usage {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Time in which the model was waited for, in milliseconds. */
  readonly modelMs: number;
}

/** What a person thinks of a turn's answer. */
export interface Rating {
  readonly by: Person;
  readonly value: 'good' | 'bad';
  readonly at: number;
}

/** A turn that has ended, as the history keeps it; its id is that of the message that began it. */
export interface SettledTurn {
  readonly id: string;
  readonly settledAt: number;
  readonly messages: readonly TurnMessage[];
  /** Why it ended without a last word. */
  readonly failure?: string;
  readonly usage?: Usage;
}
