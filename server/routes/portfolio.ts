// The analysis of a portfolio of yield opportunities (4.23, decision 56).
import { Strict } from '../../schemas/define.ts';
import { PortfolioResponseSchema } from '../../schemas/portfolio.ts';
import { PortfolioRequestSchema } from '../../schemas/portfolio-request.ts';
import { portfolioAnalysis } from '../analytics/portfolio/portfolio-analysis.ts';
import { defineEndpoint } from '../define/endpoint.ts';
import { TAGS } from '../define/tags.ts';

export const analyzePortfolio = defineEndpoint({
  method: 'POST',
  path: '/v2/yield/portfolio/analyze',
  tag: TAGS.yields,
  summary: 'Return, risk, liquidity, correlation and concentration of a portfolio of yield opportunities',
  access: { plan: 'free', scope: 'portfolio:analyze' },
  envelope: 'v2',
  cache: 'none',
  params: Strict({}),
  query: Strict({}),
  body: PortfolioRequestSchema,
  response: PortfolioResponseSchema,
  errors: ['invalid_request', 'not_found', 'risk_dependency_unavailable', 'unavailable', 'internal_error'],
  async handle({ body }, services) {
    return { payload: await portfolioAnalysis(body, services) };
  },
});
