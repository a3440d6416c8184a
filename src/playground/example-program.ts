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

/** Where a program asks, and for whom. */
export interface ProgramRequest {
  readonly channel: string;
  readonly requester: string;
}

/** A program of the playground: it asks over the HTTP API with a key of its own, as any program does. */
export interface ExampleProgram {
  /** Asks whether it may order boxes; resolves when people are asked. */
  restock(place: ProgramRequest): Promise<void>;
  /** Asks a question that offers answers; resolves when people are asked. */
  askWhich(place: ProgramRequest): Promise<void>;
  /** Takes back what nobody has decided yet. */
  stop(): Promise<void>;
}

const NAME = 'warehouse';
const BOXES = ['Small boxes', 'Medium boxes', 'Large boxes'] as const;

/** Makes the program; it gets its key with the first question. */
export function createExampleProgram(deps: {
  readonly app: Pick<App, 'url' | 'keys'>;
  readonly stock: Stock;
  readonly clock: Clock;
  readonly log: Log;
}): ExampleProgram {
  const { app, log, stock } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const atWork = new Set<Promise<void>>();
  let client: Promise<ReturnType<typeof createCountersign>> | undefined;
  const connect = () => {
    client ??= makeKey(deps).then((key) => createCountersign({ url: app.url, key }));
    return client;
  };

  /** Goes on with the work behind the back of who started it; resolves when people are asked. */
  async function begin(work: (onWaiting: () => void) => Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const ended = work(resolve).then(
        () => resolve(),
        (error: unknown) => {
          const isExpected = error instanceof CountersignError || signal.aborted;
          if (!isExpected) log.warn({ err: error }, 'The playground’s program has a fault.');
          reject(error);
        },
      );
      atWork.add(ended);
      void ended.then(() => atWork.delete(ended));
    });
  }

  return {
    restock: async (place) => {
      const { withApproval } = await connect();
      await begin((onWaiting) =>
        withApproval(
          ({ item, quantity }: { item: string; quantity: number }, { approval }) =>
            stock.add({ key: approval.id, item, quantity }),
          {
            action: 'restock',
            description: 'The boxes run out on Friday, so I’d order more now.',
            schema: RESTOCK,
            describe: (count) => `Ordered. With them there are ${count}.`,
            ...place,
            signal,
            onWaiting,
          },
        )({ item: BOXES[1], quantity: 40 }),
      );
    },
    askWhich: async (place) => {
      const { requestApproval } = await connect();
      await begin((onWaiting) =>
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
      await Promise.all(atWork);
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

/** Makes the key, or gives that of an earlier start another secret: nobody keeps one. */
async function makeKey({
  app: { keys },
  clock,
}: Pick<Parameters<typeof createExampleProgram>[0], 'app' | 'clock'>): Promise<string> {
  const at = clock.now();
  const secret = newKeySecret();
  const all = await keys.list();
  const known = all.find((key) => key.name === NAME && keyState(key, at) === 'works');
  const audit = (id: string, event: string) => ({
    audit: [{ at, event, subject: `key:${id}`, actor: 'playground', detail: { name: NAME } }],
  });
  if (known) {
    const turned = rotateKey(known, hashKeySecret(secret));
    if (await keys.change(turned, audit(known.id, 'key.rotate'))) {
      return encodeKeyToken({ id: known.id, secret });
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
