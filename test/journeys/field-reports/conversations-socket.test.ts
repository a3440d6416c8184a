import { conversationJourneys } from './conversations.ts';

conversationJourneys('socket');
