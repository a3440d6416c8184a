import type { Agenda, Lease } from '../../../src/domain/ports/agenda.ts';

/** Leases the one key that has been due longest; undefined if none is due. */
export async function claimOne(
  agenda: Agenda,
  now: number,
  leaseMs: number,
): Promise<Lease | undefined> {
  const { leases } = await agenda.claim(now, leaseMs, 1);
  const [lease] = leases;
  return lease;
}
