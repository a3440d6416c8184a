/** Version of the stored format. Data of another version is refused and left unchanged. */
export const STORE_VERSION = 100;

/** The data has another version; the message says what to do. */
export class OtherVersionError extends Error {
  override readonly name = 'OtherVersionError';
}

/** Throws if the data has another version; `setting` names the variable for its location. */
export function assertVersion(where: string, version: number, setting: string): void {
  if (version === STORE_VERSION) return;
  if (version > STORE_VERSION) {
    throw new OtherVersionError(
      `${where} was written by a newer Countersign: its version is ${version}, and this one supports up to ${STORE_VERSION}. Start the newer Countersign, or set another ${setting}.`,
    );
  }
  throw new OtherVersionError(
    `${where} was written by a Countersign from before its first release: its version is ${version}, and this one needs ${STORE_VERSION}. Nothing was changed. Set another ${setting} to start empty, and decide pending calls with the earlier Countersign.`,
  );
}
