import type { App } from '../app/app-deps.ts';
import { CountersignError, createCountersign } from '../client/countersign-client.ts';
import {
  type ApiKey,
  encodeKeyToken,
  hashKeySecret,
  keyState,
  newKeyId,
  newKeySecret,
  rotateKey,
} from '../domain/people/api-key.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Log } from '../domain/ports/log.ts';
import type { Stock } from './shop/stock.ts';

/** The channel of a request, and the person for whom the program asks. */
export interface ProgramRequest {
  readonly channel: string;
  readonly requester: string;
}

/** The playground's example program. It uses the HTTP API with its own key, as any program does. */
export interface ExampleProgram {
  /** Requests approval to order boxes. Resolves once the request is pending. */
  restock(place: ProgramRequest): Promise<void>;
  /** Asks a question with choices. Resolves once the request is pending. */
  askWhich(place: ProgramRequest): Promise<void>;
  /** Cancels pending requests. */
  stop(): Promise<void>;
}

const NAME = 'warehouse';
const BOXES = ['Small boxes', 'Medium boxes', 'Large boxes'] as const;

/** Creates the program. It creates its key with the first request. */
export function createExampleProgram(deps: {
  readonly app: Pick<App, 'url' | 'keys'>;
  readonly stock: Stock;
  readonly clock: Clock;
  readonly log: Log;
}): ExampleProgram {
  const { app, log, stock } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Set<Promise<void>>();
  let client: Promise<ReturnType<typeof createCountersign>> | undefined;
  const connect = () => {
    client ??= makeKey(deps).then((key) => createCountersign({ url: app.url, key }));
    return client;
  };

  /** Runs the work in the background. Resolves once the request is pending. */
  async function runInBackground(work: (onWaiting: () => void) => Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const ended = work(resolve).then(
        () => resolve(),
        (error: unknown) => {
          const isExpected = error instanceof CountersignError || signal.aborted;
          if (!isExpected) log.warn({ err: error }, 'The playground’s example program failed.');
          reject(error);
        },
      );
      running.add(ended);
      void ended.then(() => running.delete(ended));
    });
  }

  return {
    restock: async (place) => {
      const { withApproval } = await connect();
      await runInBackground((onWaiting) =>
        withApproval(
          ({ item, quantity }: { item: string; quantity: number }, { approval }) =>
            stock.add({ key: approval.id, item, quantity }),
          {
            action: 'restock',
            description: 'The boxes run out on Friday, so I’d order more now.',
            schema: RESTOCK,
            describe: (count) => `Ordered. ${count} are now in stock.`,
            ...place,
            signal,
            onWaiting,
          },
        )({ item: BOXES[1], quantity: 40 }),
      );
    },
    askWhich: async (place) => {
      const { requestApproval } = await connect();
      await runInBackground((onWaiting) =>
        requestApproval(
          {
            action: 'choose_boxes',
            args: { question: 'Which boxes should next week’s parcels go into?' },
            description: 'I’ll plan the shelves for your answer.',
            decisions: ['reply', 'ignore'],
            choices: BOXES,
            ...place,
          },
          { signal, onWaiting },
        ),
      );
    },
    stop: async () => {
      stopping.abort(new Error('The playground stops.'));
      await Promise.all(running);
    },
  };
}

const RESTOCK = {
  type: 'object',
  properties: {
    item: { type: 'string', title: 'Item', enum: BOXES },
    quantity: { type: 'integer', title: 'Quantity', minimum: 1, maximum: 500 },
  },
  required: ['item', 'quantity'],
  additionalProperties: false,
};

/** Creates the key, or rotates that of an earlier start: its secret is stored nowhere. */
async function makeKey({
  app: { keys },
  clock,
}: Pick<Parameters<typeof createExampleProgram>[0], 'app' | 'clock'>): Promise<string> {
  const at = clock.now();
  const secret = newKeySecret();
  const all = await keys.list();
  const existing = all.find((key) => key.name === NAME && keyState(key, at) === 'works');
  const audit = (id: string, event: string) => ({
    audit: [{ at, event, subject: `key:${id}`, actor: 'playground', detail: { name: NAME } }],
  });
  if (existing) {
    const rotated = rotateKey(existing, hashKeySecret(secret));
    if (await keys.change(rotated, audit(existing.id, 'key.rotate'))) {
      return encodeKeyToken({ id: existing.id, secret });
    }
    throw new Error('The key of the playground’s program was changed just now. Try again.');
  }
  const key: ApiKey = {
    id: newKeyId(),
    name: NAME,
    hash: hashKeySecret(secret),
    scopes: ['request', 'requesters'],
    channels: [],
    createdAt: at,
    revision: 1,
  };
  await keys.add(key, audit(key.id, 'key.create'));
  return encodeKeyToken({ id: key.id, secret });
}
