import { randomBytes } from 'node:crypto';
import type { Cancel, Clock } from '../../../domain/ports/clock.ts';
import { isJson, type Json, toText } from '../json-value.ts';
import type { WorkspaceFaults } from '../workspace-faults.ts';
import type { WorkspaceJournal } from '../workspace-journal.ts';
import type { Ack, JournalEntry } from '../workspace-port.ts';
import { IDENTITY } from '../workspace-seed.ts';
import type { Delivered, DeliveryKind, RetryMark, Transport } from './transport.ts';

/**
 * Slack repeats what was not acknowledged at once, after a minute and after five more.
 * https://docs.slack.dev/apis/events-api/#retries
 */
const RETRY_AFTER_MS = [0, 60_000, 300_000] as const;

/** Brings payloads to the app under test, over whichever transport is set. */
export interface Delivery {
  deliverTo(transport: Transport | undefined): void;
  /** Wraps the event and delivers it; resolves when it is acknowledged, or when its first repetition failed too. */
  event(event: Json, envelope?: Json): Promise<void>;
  /** Delivers one event once, without repetitions. */
  eventOnce(event: Json, envelope?: Json, retry?: RetryMark): Promise<Ack>;
  interaction(payload: Json): Promise<Ack>;
  command(fields: Json): Promise<Ack>;
  /** Forgets the repetitions that are due later. */
  close(): void;
}

/** Creates the delivery; nothing is delivered before a transport is set. */
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

  /** Resolves once the delivery holds or only repetitions of a later time are left. */
  async function sendUntilTaken(name: string, payload: Json, retry?: RetryMark): Promise<void> {
    const { ack, retryReason = 'http_timeout' } = await send('events_api', name, payload, retry);
    const num = retry?.num ?? 0;
    const wait = RETRY_AFTER_MS[num];
    if (ack.kind === 'acknowledged' || wait === undefined || closed) {
      return;
    }
    const next = { num: num + 1, reason: retryReason };
    if (wait === 0) {
      await sendUntilTaken(name, payload, next);
    } else {
      later(wait, () => void sendUntilTaken(name, payload, next));
    }
  }

  function later(waitMs: number, run: () => void): void {
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
      await sendUntilTaken(name, payload);
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

/** The envelope of the Events API around an event. https://docs.slack.dev/apis/events-api/#callback-field */
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
