import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import type { ThreadKey } from './thread-key.ts';

/** A piece of work that an agent gave to a helper. */
export interface HelperWork {
  /** First line of the helper's instructions. Written by an agent: untrusted. */
  readonly line: string;
  /** Index among the calls of its message (from 0), and the number of those calls. */
  readonly position: number;
  readonly siblings: number;
}

/** A file that a person attached. Its bytes are fetched when the turn starts. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  /** In bytes, as reported by Slack. */
  readonly size: number;
  /** Download URL; absent if Slack does not provide one. */
  readonly url?: string;
}

/** A person's message to the agent. One id per Slack message, however many events report it. */
export interface InboxMessage {
  readonly id: string;
  readonly thread: ThreadKey;
  readonly author: Person;
  /** Slack's timestamp; also defines the order. */
  readonly ts: string;
  readonly text: string;
  readonly receivedAt: number;
  /** Until when (ms) an earlier message of the thread may still arrive; absent if none can. */
  readonly orderedAt?: number;
  readonly files?: readonly Attachment[];
  /** A mention in a channel thread: earlier messages there are part of it. */
  readonly looksBack?: true;
  /** Slack only reported the mention, which omits files. */
  readonly mayHaveFiles?: true;
  /**
   * Set on an agent's message to a helper: the helper's name, and the first line of the person's
   * message.
   */
  readonly delegated?: {
    readonly agent: string;
    readonly askedLine: string;
    readonly work?: HelperWork;
  };
  /** Who stopped its turn, and when. */
  readonly stopped?: { readonly by: Person; readonly at: number };
}

/** Returns the id of a message, the same for every event that reports it. */
export function messageId(message: {
  readonly team: string;
  readonly channel: string;
  readonly ts: string;
}): string {
  return `${message.team}/${message.channel}/${message.ts}`;
}

/** Returns the first non-empty line, as the card quotes it. */
export function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '') ?? ''
  );
}

/** A tool call as the model wrote it. `args` is raw text, parsed only by the strict parser. */
export interface ModelCall {
  /** Unique within its message. */
  readonly id: string;
  readonly tool: string;
  readonly args: string;
  /** Fields to send back to the provider unchanged. */
  readonly fields?: ProviderFields;
}

/** Provider fields beyond the protocol, e.g. reasoning and its signatures. Opaque to the app. */
export type ProviderFields = { readonly [key: string]: JsonValue };

/** An attached image, by its path in the workspace. */
export interface UserImage {
  readonly path: string;
  readonly mimeType: string;
  /** Hex SHA-256 of the bytes that the person sent. */
  readonly sha256?: string;
}

/** A message of a turn, in the order the model sees them. */
export type TurnMessage =
  | {
      readonly role: 'user';
      readonly id: string;
      readonly text: string;
      readonly author: Person;
      readonly at: number;
      /** Images that the model may see. */
      readonly images?: readonly UserImage[];
    }
  | {
      readonly role: 'assistant';
      readonly id: string;
      readonly text: string;
      readonly calls: readonly ModelCall[];
      /** The provider that produced it, and the fields to send back to it. */
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

/** Tokens of one answer, as counted by the provider. */
export interface TokenCount {
  readonly input: number;
  readonly output: number;
}

/** Cost of model requests, failed ones included. `tokens` only if the provider reported them. */
export interface ModelCost {
  readonly requests: number;
  /** Time spent waiting for the model (ms). */
  readonly modelMs: number;
  readonly tokens?: TokenCount;
}

/** A turn's use of the model. */
export interface Usage {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Time spent waiting for the model (ms). */
  readonly modelMs: number;
}

/** A person's rating of a turn's answer. */
export interface Rating {
  readonly by: Person;
  readonly value: 'good' | 'bad';
  readonly at: number;
}

/** A completed turn as stored in the history. Its id is that of its first message. */
export interface SettledTurn {
  readonly id: string;
  readonly settledAt: number;
  readonly messages: readonly TurnMessage[];
  /** Why it ended without a final answer. */
  readonly failure?: string;
  readonly usage?: Usage;
}
