/** Slack's response to a call that it refuses. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    const { data } = error as { data?: { error?: string } };
    return data?.error ?? String(error);
  }
}
