import { serveTraining } from 'lanthorn/workers';
import { network, train } from './train';

serveTraining(network, train);
