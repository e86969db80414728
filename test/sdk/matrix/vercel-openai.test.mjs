import { play } from './play.mjs';
import { vercelOpenAI } from './vercel.mjs';
import { tools } from './vercel-tools.mjs';

play(vercelOpenAI, { lean: true });
tools(vercelOpenAI);
