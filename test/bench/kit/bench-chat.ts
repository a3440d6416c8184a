import type { Call } from '../../../src/domain/calls/call.ts';
import type { Chat } from '../../../src/domain/ports/chat.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';

/** Creates a chat that takes no time and stores nothing, for benches without Slack. */
export function createBenchChat(told: {
  readonly onCard?: (call: Call) => void;
  readonly onSay?: (say: OutboxMessage) => void;
}): Chat {
  let posted = 0;
  return {
    async drawCard(call, place, { shared = [{ call }] }) {
      for (const each of shared) told.onCard?.(each.call);
      posted += 1;
      return place ?? { channel: 'C1', ts: `1700000000.${String(posted).padStart(6, '0')}` };
    },
    drawStub: async (call, place) => place ?? { channel: 'C1', ts: call.id },
    async closeCard() {},
    drawDigest: async ({ channel, id, place }) => place ?? { channel, ts: id },
    async postOutboxMessage(say) {
      told.onSay?.(say);
    },
    openLiveMessage: ({ thread }, left) => {
      let place = left;
      return {
        place: () => place,
        async draw() {
          place ??= { channel: 'C1', ts: `1600000000.${thread.length}` };
          return 'drawn';
        },
      };
    },
    async clearLive() {},
    setStatus: async () => 'session',
  };
}
