import { play } from './play.mjs';
import { adaptive, vercelAnthropic } from './vercel.mjs';
import { tools } from './vercel-tools.mjs';

// Its provider cannot ask for quiet where it gives a budget for thinking.
play(vercelAnthropic, { lean: true, skip: ({ manner, model }) => manner.quiet && !adaptive(model) });
tools(vercelAnthropic);
