import { describe } from 'node:test';
import { agendaContract } from './contract/agenda-contract.ts';
import { auditContract } from './contract/audit-contract.ts';
import { askedContract } from './contract/calls/asked-contract.ts';
import { claimContract } from './contract/calls/claim-contract.ts';
import { effectsContract } from './contract/calls/effects-contract.ts';
import { ledgerContract } from './contract/calls/ledger-contract.ts';
import { digestMessagesContract, sidesContract } from './contract/calls/places-contract.ts';
import { recoveryContract } from './contract/calls/recovery-contract.ts';
import { reportsContract } from './contract/calls/reports-contract.ts';
import { requesterContract } from './contract/calls/requester-contract.ts';
import { type MakeStore, opener } from './contract/contract-store.ts';
import { draftsContract } from './contract/settings/drafts-contract.ts';
import { keysContract } from './contract/settings/keys-contract.ts';
import { pauseContract } from './contract/settings/pause-contract.ts';
import { pinsContract } from './contract/settings/pins-contract.ts';
import { routesContract } from './contract/settings/routes-contract.ts';
import { historyContract } from './contract/threads/history-contract.ts';
import { inboxContract } from './contract/threads/inbox-contract.ts';
import { outboxContract } from './contract/threads/outbox-contract.ts';
import { removalContract } from './contract/threads/removal-contract.ts';
import { turnRecordsContract } from './contract/turn-records-contract.ts';

export type { MakeStore } from './contract/contract-store.ts';

/** Tests every promise of the ports in `src/domain/ports/store.ts` and `agenda.ts` on empty stores that `make` creates. */
export function storeContract(name: string, make: MakeStore): void {
  const open = opener(make);
  describe(`${name} keeps the promises of the store`, () => {
    describe('ledger', () => ledgerContract(open));
    describe('calls of a requester', () => requesterContract(open));
    describe('calls that ask people', () => askedContract(open));
    describe('messages of a call', () => sidesContract(open));
    describe('digest messages', () => digestMessagesContract(open));
    describe('reports of running calls', () => reportsContract(open));
    describe('effects', () => effectsContract(open));
    describe('inbox', () => inboxContract(open));
    describe('turn records', () => turnRecordsContract(open));
    describe('history', () => historyContract(open));
    describe('removal of the history', () => removalContract(open));
    describe('outbox', () => outboxContract(open));
    describe('agenda', () => agendaContract(open));
    describe('claims of the agenda', () => claimContract(open));
    describe('pause', () => pauseContract(open));
    describe('routes', () => routesContract(open));
    describe('pins', () => pinsContract(open));
    describe('recovery', () => recoveryContract(open));
    describe('drafts', () => draftsContract(open));
    describe('keys', () => keysContract(open));
    describe('audit', () => auditContract(open));
  });
}
