/** The effect of waiting messages while calls are pending, as the design defines it: by their author. */
import {
  type ExpectedCall,
  type ExpectedMessage,
  endCall,
  GUEST,
  mayDecide,
} from './expected-call.ts';

/** Applies the messages that wait in a thread to the open calls of its turn, and to the messages themselves. */
export function hear(waiting: readonly ExpectedMessage[], open: readonly ExpectedCall[]): void {
  for (const message of waiting) {
    if (message.author === GUEST) message.state = 'answered';
    else if (open.every(({ status }) => status === 'pending')) {
      if (applyMessage(message, open)) return;
    }
  }
}

function applyMessage(message: ExpectedMessage, open: readonly ExpectedCall[]): boolean {
  if (message.text === 'ok') {
    message.state = 'answered';
    return false;
  }
  const decidable = open.filter((call) => mayDecide(call, message.author));
  for (const call of decidable) {
    if (call.isTampered) endCall(call, 'failed', 'error');
    else {
      endCall(call, 'replied', 'reply');
      message.state = 'reply';
    }
  }
  if (decidable.length > 0) return true;
  const own = open.filter(({ requester }) => requester === message.author);
  for (const call of own) endCall(call, 'withdrawn', 'withdrawn');
  return own.length > 0;
}
