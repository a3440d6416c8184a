/** How it stands with the store that the settings name. */
export interface StoreCheck {
  readonly message: string;
  /** What weakens the guarantees, and what to do. */
  readonly warnings: readonly string[];
  /** Whether an app has it open; unknown of one that is shared. */
  readonly isInUse: boolean;
}
