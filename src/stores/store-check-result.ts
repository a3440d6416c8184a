/** Result of checking the configured store. */
export interface StoreCheck {
  readonly message: string;
  /** What weakens the guarantees, and what to do. */
  readonly warnings: readonly string[];
  /** Whether an app has it open; not known for a shared store. */
  readonly isInUse: boolean;
}
