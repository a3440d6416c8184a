/** A stage of the API with a key and a person who may decide. */
import { after, before, type TestContext } from 'node:test';
import { APPROVER, type ApiStage, setApiStage, type Told, type Wish } from './api-stage.ts';

/** The body of most requests in the tests. */
export const CALL = { action: 'drop_table', args: { table: 'users' } };

export interface ApiBench {
  readonly stage: ApiStage;
  /** The token of the key. */
  readonly token: string;
  /** The token of a person who may decide. */
  readonly approver: string;
  post(path: string, wish?: Wish): Promise<Told>;
  get(path: string, wish?: Wish): Promise<Told>;
  make(body?: object, wish?: Wish): Promise<Told>;
  approve(id: string, body?: object, by?: string): Promise<Told>;
  statusOf(id: string): Promise<string | undefined>;
}

/** Sets up the bench before the tests of a suite, and tears it down after them. */
export function openBench(): ApiBench {
  const ends: (() => unknown)[] = [];
  let stage: ApiStage | undefined;
  let token = '';
  let approver = '';
  before(async () => {
    const t = { after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext;
    stage = await setApiStage(t);
    token = await stage.key();
    approver = await stage.person(APPROVER);
  });
  after(async () => {
    for (const end of ends.reverse()) await end();
  });

  function set(): ApiStage {
    if (!stage) throw new Error('The bench is set before the tests.');
    return stage;
  }

  const post = (path: string, wish: Wish = {}) => set().ask('POST', path, { token, ...wish });
  return {
    get stage() {
      return set();
    },
    get token() {
      return token;
    },
    get approver() {
      return approver;
    },
    post,
    get: (path, wish = {}) => set().ask('GET', path, { token, ...wish }),
    async make(body = {}, wish = {}) {
      const made = await post('/api/approvals', { body: { ...CALL, ...body }, ...wish });
      await set().desk.rest();
      return made;
    },
    async approve(id, body = {}, by = approver) {
      const response = await post(`/api/approvals/${id}/approve`, { token: by, body });
      await set().desk.rest();
      return response;
    },
    statusOf: async (id) => (await set().desk.store.ledger.get(id))?.status,
  };
}
