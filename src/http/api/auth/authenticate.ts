import { type KeyProblem, type KeyToken, parseKeyToken } from '../../../domain/people/api-key.ts';
import type { ApiDeps } from '../api-deps.ts';
import type { ApiCaller } from '../operation.ts';
import type { KeyRing } from './key-ring.ts';
import type { ReadToken } from './person-tokens.ts';

/** The authenticated caller, or why there is none. */
export type Authentication =
  | { readonly kind: 'authenticated'; readonly caller: ApiCaller }
  | { readonly kind: 'refused'; readonly why: string }
  /** The token can't be verified right now. */
  | { readonly kind: 'unclear'; readonly why: string };

const WHY: Readonly<Record<KeyProblem, string>> = {
  unknown: 'This key does not exist. “npx --no -- countersign keys list” lists all keys.',
  revoked: 'This key was revoked. Ask your Countersign operator for a new one.',
  expired: 'This key or its secret has expired. Ask your Countersign operator for a new one.',
};

const NONE =
  'Send a Countersign API key (Authorization: Bearer csk_…). “npx --no -- countersign keys create” creates one.';
const NO_PEOPLE =
  'This is not a Countersign API key (csk_…), and user tokens are not accepted: neither APPROVER_JWKS_URL nor APPROVER_JWT_SECRET is set.';

/** Creates the authentication of a request by its Authorization header. */
export function createAuthenticate(
  { readPersonToken, team }: Pick<ApiDeps, 'readPersonToken' | 'team'>,
  ring: Pick<KeyRing, 'open'>,
) {
  async function openKey(token: KeyToken | undefined): Promise<Authentication> {
    if (!token) return { kind: 'refused', why: WHY.unknown };
    const opened = await ring.open(token);
    if (opened.kind === 'invalid') return { kind: 'refused', why: WHY[opened.why] };
    return { kind: 'authenticated', caller: { kind: 'key', key: opened.key, token } };
  }

  return async function authenticate(header: string | undefined): Promise<Authentication> {
    const [, text] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
    if (text === undefined) return { kind: 'refused', why: NONE };
    if (text.startsWith('csk_')) return await openKey(parseKeyToken(text));
    return readPersonToken
      ? toEntry(await readPersonToken(text), team)
      : { kind: 'refused', why: NO_PEOPLE };
  };
}

function toEntry(read: ReadToken, team: string): Authentication {
  switch (read.kind) {
    case 'refused':
      return { kind: 'refused', why: `This user token is not accepted. ${read.why}` };
    case 'unclear':
      return {
        kind: 'unclear',
        why: 'The keys that verify user tokens can’t be fetched right now (APPROVER_JWKS_URL). Try again in a moment.',
      };
    case 'person': {
      const { expiresAt, user } = read;
      return {
        kind: 'authenticated',
        caller: { kind: 'person', person: { team, user }, expiresAt },
      };
    }
  }
}
