import { conversationJourneys } from './conversations.ts';

conversationJourneys('http');
