import { randomBytes } from 'node:crypto';
import type { Cancel, Clock } from '../../../domain/ports/clock.ts';
import { isJson, type Json, toText } from '../json-value.ts';
import type { WorkspaceFaults } from '../workspace-faults.ts';
import type { WorkspaceJournal } from '../workspace-journal.ts';
import type { Ack, JournalEntry } from '../workspace-port.ts';
import { IDENTITY } from '../workspace-seed.ts';
import type { Delivered, DeliveryKind, RetryMark, Transport } from './transport.ts';

/**
 * Slack retries an unacknowledged event at once, after one minute and after five more.
 * https://docs.slack.dev/apis/events-api/#retries
 */
const RETRY_AFTER_MS = [0, 60_000, 300_000] as const;

/** Delivers payloads to the app over the current transport. */
export interface Delivery {
  deliverTo(transport: Transport | undefined): void;
  /**
   * Wraps and delivers an event. Resolves when it is acknowledged or its first retry has failed.
   */
  event(event: Json, envelope?: Json): Promise<void>;
  /** Delivers an event once, without retries. */
  eventOnce(event: Json, envelope?: Json, retry?: RetryMark): Promise<Ack>;
  interaction(payload: Json): Promise<Ack>;
  command(fields: Json): Promise<Ack>;
  /** Cancels scheduled retries. */
  close(): void;
}

/** Creates the delivery. Nothing is delivered before a transport is set. */
export function createDelivery(deps: {
  readonly clock: Clock;
  readonly journal: WorkspaceJournal;
  readonly faults: WorkspaceFaults;
}): Delivery {
  const { clock, journal, faults } = deps;
  const due = new Set<Cancel>();
  let transport: Transport | undefined;
  let closed = false;

  async function send(
    kind: DeliveryKind,
    name: string,
    payload: Json,
    retry?: RetryMark,
  ): Promise<Delivered> {
    const finish = journal.open(ENTRY_KINDS[kind], name, payload);
    const delivered: Delivered =
      transport === undefined || closed
        ? { ack: { kind: 'unanswered' }, problem: 'no app is connected' }
        : await transport(kind, payload, retry);
    const { ack, problem } = delivered;
    finish({
      answer: ack,
      ok: ack.kind === 'acknowledged',
      ...(problem === undefined ? {} : { problem }),
    });
    return delivered;
  }

  /** Resolves when the event is acknowledged or only delayed retries are left. */
  async function sendWithRetries(name: string, payload: Json, retry?: RetryMark): Promise<void> {
    const { ack, retryReason = 'http_timeout' } = await send('events_api', name, payload, retry);
    const num = retry?.num ?? 0;
    const wait = RETRY_AFTER_MS[num];
    if (ack.kind === 'acknowledged' || wait === undefined || closed) {
      return;
    }
    const next = { num: num + 1, reason: retryReason };
    if (wait === 0) {
      await sendWithRetries(name, payload, next);
    } else {
      schedule(wait, () => void sendWithRetries(name, payload, next));
    }
  }

  function schedule(waitMs: number, run: () => void): void {
    const cancel = clock.schedule(clock.now() + waitMs, () => {
      due.delete(cancel);
      run();
    });
    due.add(cancel);
  }

  async function event(content: Json, envelope?: Json): Promise<void> {
    const payload = wrapEvent(content, clock.now(), envelope);
    const name = toText(content.type);
    const deliver = async (): Promise<void> => {
      await sendWithRetries(name, payload);
      for (let num = 1; num < faults.deliveries; num += 1) {
        await send('events_api', name, payload, { num, reason: 'http_timeout' });
      }
    };
    const { hold } = faults;
    if (hold === undefined) {
      await deliver();
    } else {
      hold(deliver);
    }
  }

  return {
    deliverTo: (next) => {
      transport = next;
    },
    event,
    eventOnce: async (content, envelope, retry) => {
      const payload = wrapEvent(content, clock.now(), envelope);
      return (await send('events_api', toText(content.type), payload, retry)).ack;
    },
    interaction: async (payload) => (await send('interactive', toText(payload.type), payload)).ack,
    command: async (fields) => (await send('slash_commands', toText(fields.command), fields)).ack,
    close: () => {
      closed = true;
      for (const cancel of due) {
        cancel();
      }
      due.clear();
    },
  };
}

const ENTRY_KINDS: Readonly<Record<DeliveryKind, JournalEntry['kind']>> = {
  events_api: 'event',
  interactive: 'interaction',
  slash_commands: 'command',
};

/**
 * Wraps an event in the envelope of the Events API.
 * https://docs.slack.dev/apis/events-api/#callback-field
 */
function wrapEvent(event: Json, nowMs: number, envelope: Json = {}): Json {
  const { team, app } = IDENTITY;
  const external = isJson(event) && event.user_team !== undefined && event.user_team !== team.id;
  return {
    token: 'playground-verification-token',
    team_id: team.id,
    context_team_id: team.id,
    context_enterprise_id: null,
    api_app_id: app.id,
    event,
    type: 'event_callback',
    event_id: `Ev0${randomBytes(5).toString('hex').toUpperCase()}`,
    event_time: Math.floor(nowMs / 1000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: team.id,
        user_id: app.botUserId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    is_ext_shared_channel: external,
    event_context: `4-${randomBytes(8).toString('hex')}`,
    ...envelope,
  };
}
