/** The latest progress of a running call: one line, in the tool's own words. */
export interface ProgressReport {
  readonly text: string;
  readonly at: number;
}
