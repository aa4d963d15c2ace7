// Contagion: what else falls if this fails?
import { contagion } from './contagion.ts';
import { contagionStart } from './contagion-start.ts';
import { showPage } from './shell.ts';

showPage([contagion, contagionStart]);
