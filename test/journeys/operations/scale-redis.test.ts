import { inTurn } from '../../support/sample.ts';
import { scaleJourney } from './scale.ts';

for (const isToday of inTurn([true, false])) if (isToday) scaleJourney('Redis');
