import { scaleJourney } from './scale.ts';

scaleJourney('SQLite');
