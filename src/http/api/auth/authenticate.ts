import { type KeyProblem, type KeyToken, parseKeyToken } from '../../../domain/people/api-key.ts';
import type { ApiDeps } from '../api-deps.ts';
import type { ApiCaller } from '../operation.ts';
import type { KeyRing } from './key-ring.ts';
import type { ReadToken } from './person-tokens.ts';

/** The authenticated caller, or why there is none. */
export type Authentication =
  | { readonly kind: 'in'; readonly caller: ApiCaller }
  | { readonly kind: 'out'; readonly why: string }
  /** The token can't be verified right now. */
  | { readonly kind: 'unclear'; readonly why: string };

const WHY: Readonly<Record<KeyProblem, string>> = {
  unknown: 'There is no such key. “npx --no -- countersign keys list” lists those that there are.',
  revoked: 'This key was revoked. Ask whoever runs Countersign for another one.',
  expired: 'This key, or this secret of it, has expired. Ask whoever runs Countersign for another.',
};

const NONE =
  'Send a key of Countersign, Authorization: Bearer csk_…; “npx --no -- countersign keys create” makes one.';
const NO_PEOPLE =
  'This is no key of Countersign (csk_…), and tokens of people are not taken here: APPROVER_JWKS_URL or APPROVER_JWT_SECRET is not set.';

/** Creates the authentication of a request by its Authorization header. */
export function createAuthenticate(
  { readPersonToken, team }: Pick<ApiDeps, 'readPersonToken' | 'team'>,
  ring: Pick<KeyRing, 'open'>,
) {
  async function openKey(token: KeyToken | undefined): Promise<Authentication> {
    if (!token) return { kind: 'out', why: WHY.unknown };
    const opened = await ring.open(token);
    if (opened.kind === 'shut') return { kind: 'out', why: WHY[opened.why] };
    return { kind: 'in', caller: { kind: 'key', key: opened.key, token } };
  }

  return async function authenticate(header: string | undefined): Promise<Authentication> {
    const [, text] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
    if (text === undefined) return { kind: 'out', why: NONE };
    if (text.startsWith('csk_')) return await openKey(parseKeyToken(text));
    return readPersonToken
      ? toEntry(await readPersonToken(text), team)
      : { kind: 'out', why: NO_PEOPLE };
  };
}

function toEntry(read: ReadToken, team: string): Authentication {
  switch (read.kind) {
    case 'refused':
      return { kind: 'out', why: `This token of a person is not taken. ${read.why}` };
    case 'unclear':
      return {
        kind: 'unclear',
        why: 'The keys that sign people’s tokens can’t be read right now (APPROVER_JWKS_URL).',
      };
    case 'person': {
      const { expiresAt, user } = read;
      return { kind: 'in', caller: { kind: 'person', person: { team, user }, expiresAt } };
    }
  }
}
