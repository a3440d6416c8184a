import { describe } from 'node:test';
import { agendaContract } from './store-contract/agenda-contract.ts';
import { askedContract } from './store-contract/asked-contract.ts';
import { auditContract } from './store-contract/audit-contract.ts';
import { claimContract } from './store-contract/claim-contract.ts';
import { draftsContract } from './store-contract/drafts-contract.ts';
import { effectsContract } from './store-contract/effects-contract.ts';
import { historyContract } from './store-contract/history-contract.ts';
import { inboxContract } from './store-contract/inbox-contract.ts';
import { keysContract } from './store-contract/keys-contract.ts';
import { ledgerContract } from './store-contract/ledger-contract.ts';
import { outboxContract } from './store-contract/outbox-contract.ts';
import { pauseContract } from './store-contract/pause-contract.ts';
import { pinsContract } from './store-contract/pins-contract.ts';
import { bulletinsContract, sidesContract } from './store-contract/places-contract.ts';
import { recordsContract } from './store-contract/records-contract.ts';
import { recoveryContract } from './store-contract/recovery-contract.ts';
import { removalContract } from './store-contract/removal-contract.ts';
import { reportsContract } from './store-contract/reports-contract.ts';
import { requesterContract } from './store-contract/requester-contract.ts';
import { routesContract } from './store-contract/routes-contract.ts';
import { type MakeStore, opener } from './store-contract/store-bench.ts';

export type { MakeStore } from './store-contract/store-bench.ts';

/** Tests every promise of the ports in `src/domain/store.ts` and `agenda.ts` on stores that `make` makes, each of them empty. */
export function storeContract(name: string, make: MakeStore): void {
  const open = opener(make);
  describe(`${name} keeps the promises of the store`, () => {
    describe('ledger', () => ledgerContract(open));
    describe('calls of a requester', () => requesterContract(open));
    describe('calls that ask people', () => askedContract(open));
    describe('messages of a call', () => sidesContract(open));
    describe('bulletins', () => bulletinsContract(open));
    describe('reports of running calls', () => reportsContract(open));
    describe('effects', () => effectsContract(open));
    describe('inbox', () => inboxContract(open));
    describe('turn records', () => recordsContract(open));
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
