"""Turns situations into sentence patterns in English; source layer."""

from __future__ import annotations

from k3mock.generator.phrases import phrases

PHRASES = {
    "think_user": phrases(
        'The user writes: "{quote}". Let me work out what they want from me.',
        'The request is "{quote}", so the first thing is to be clear about what would help.',
        'Okay, so I am asked: "{quote}". Let me think about it before I answer.',
        'Let me read this again: "{quote}". I should settle what is really wanted here.',
    ),
    "think_plain": phrases(
        "There is very little to go on in this request, so I should read it with some care.",
        "The message itself says almost nothing, so let me think about what could be meant here.",
        "Not much text here. Let me think about what kind of answer would be of any use to them.",
    ),
    "think_result": phrases(
        'The call to {source} has come back with "{result}". Let me see what that means.',
        'Now I have the output of {source}: "{result}". Let me check it against the question.',
    ),
    "think_results_empty": phrases(
        "The call to {source} came back without any output, so I must say so in the answer.",
    ),
    "think_about": phrases(
        "The key words are {a} and {b}, so the answer has to stay close to those two.",
        "What matters here is {a}; the rest of the message mostly narrows it down.",
        "I want to connect {a} with {b} and not drift into neighbouring topics.",
        "If I mention {c}, it should be because it changes what I say about {a}.",
        "Someone who asks about {a} probably wants something they can use right away.",
        "Is {b} the point, or only the setting for {a}? I read it as part of the question.",
        "I could start from {b}, but {a} comes first in the request, so I start there.",
        "A short example around {c} might make it easier to follow.",
    ),
    "think_tools": phrases(
        "I have these tools: {tools}. Let me see whether one of them fits.",
        "Among the offered tools ({tools}) I should only pick one if it brings me further.",
    ),
    "think_tool": phrases(
        "The tool {tool} fits what is asked, so calling it is better than guessing.",
        "I need data that I do not have, and {tool} can get it for me.",
        "For {tool} I have to fill in the arguments from the message: {values}.",
        "Let me double-check the arguments for {tool}: {values}. They match the request.",
    ),
    "think_next": phrases(
        "That step is done; the next one needs {tool}.",
        "The task is not finished yet: what is left for now is the step with {tool}.",
    ),
    "think_no_tool": phrases(
        "None of the tools has to be called for this; I can answer directly.",
        "Calling a tool would not add anything here, so I answer in my own words.",
    ),
    "think_facts": phrases(
        "The result says: {result}. That is what the answer must rest on.",
        "I should report what {source} returned and not add numbers of my own.",
        "There is no need to call {source} again, because the output already covers it.",
    ),
    "think_media": phrases(
        "There is something to look at as well: {media}. I should say that I took it into account.",
        "The message comes with {media}, so the answer should refer to it.",
    ),
    "think_form": phrases(
        "The form is given: {form}. I should keep to that and add nothing around it.",
        "They want {form}, so that decides the shape of the answer.",
    ),
    "think_history": phrases(
        "This is not the first message of the conversation, so I should stay consistent with it.",
        "Earlier turns set the context; I will not repeat what was said there.",
    ),
    "think_plan": phrases(
        "My plan: say the main thing first, then add the detail that supports it.",
        "First the direct answer, then one reason, then stop.",
        "Let me sketch it: a clear statement, a short explanation, a practical hint.",
        "I could go into the background, but that would be more than was asked.",
        "Step one is to find out which part of this is certain and which part is a guess.",
        "Let me split the task into what is given, what is missing and what follows from it.",
        "A longer answer is possible, but a compact one is easier to use.",
        "I should decide how deep to go; a middle level of detail seems right.",
        "One option is to ask back, but there is enough here to give a useful answer.",
        "Alternatively I could list several options, though one good option is often better.",
    ),
    "think_check": phrases(
        "Wait, let me check that I am not reading more into this than is there.",
        "Does anything contradict this? I do not see a conflict.",
        "Let me make sure that the tone fits: plain, friendly and to the point.",
        "I should avoid claims that I cannot support from the message itself.",
        "Is there a trap in the wording? As far as I can tell, no.",
        "Let me go through it once more from the start; the steps still hold.",
        "Hmm, one thing could be misunderstood, so I will phrase it carefully.",
        "Checking the length: it should be short enough to be read in one go.",
        "Nothing here is sensitive or risky, so I can simply answer.",
        "I also considered the opposite reading, but it makes less sense in context.",
    ),
    "think_done": phrases(
        "Good, that settles it. I will write the answer now.",
        "That is enough thinking; time to answer.",
        "All right, I know what to say.",
    ),
    "think_done_call": phrases(
        "So the next step is to call {tool}.",
        "Good, I will call {tool} now.",
    ),
    "say_lead": phrases(
        "With {a}, a good deal depends on {b}, so it helps to look at the two together.",
        "The essentials of {a} fit into a few sentences.",
        "Here is a short overview of {a}.",
        "The easiest way into {a} is to get the overall picture first and the details later.",
    ),
    "say_lead_how": phrases(
        "For {a}, the simplest way is to go in small steps.",
        "Start with the basics of {a}, then try them on a simple case.",
        "There is more than one way to go about {a}; this one is a safe start.",
    ),
    "say_lead_why": phrases(
        "There is more than one reason, but one of them usually carries most of the weight.",
        "The short answer is that several causes work together, and that the obvious one is "
        "rarely alone.",
    ),
    "say_lead_compare": phrases(
        "{a} and {b} both have their strengths; what decides is what you need them for.",
        "The difference between {a} and {b} shows most in everyday use.",
    ),
    "say_lead_plain": phrases(
        "Here is what I would say, even though there is little to go on.",
        "I am glad to help, and a little more context would let me be specific.",
    ),
    "say_body": phrases(
        "It pays to separate what is certain from what is only assumed.",
        "Small, regular steps usually lead further than one big effort.",
        "Good questions to ask are what it costs, how long it takes and who can help.",
        "{a} and {b} are best looked at together, because one affects the other.",
        "A practical approach is to begin small and to check the outcome at each step.",
        "{person}, who has dealt with {a} for years, puts it simply: get the basics right first.",
        "Companies such as {company} proceed in stages as well and correct their course on the "
        "way.",
        "If {c} matters to you as well, plan for it early rather than adding it later.",
        "What is easily overlooked is how much {b} shapes the final result.",
        "Once {a} is clear, the remaining questions tend to answer themselves.",
        "It also helps to write down beforehand what you expect from {b}.",
        "As for {c}, it plays a smaller part, but that is where many mistakes are made.",
        "If you are unsure, compare two or three options and keep the one that is easiest to "
        "explain.",
    ),
    "say_body_what": phrases(
        "Several things play a part here, among them time, place and the people involved.",
        "Opinions differ on the details, but the main lines are not in dispute.",
        "What looks simple from a distance turns out to have several layers.",
        "Much of what is known about {a} comes from patient observation over a long time.",
        "{person}, who knows the subject well, stresses how much depends on small causes.",
        "The picture differs from place to place; in {city}, for instance, the emphasis is "
        "another one.",
        "It helps to keep apart what is well documented and what is merely repeated.",
        "Some points have been settled for a long time, others are still being discussed.",
        "A single example often says more about {a} than a long definition.",
    ),
    "say_body_plain": phrases(
        "If you tell me a bit more about your goal, I can give you a more precise answer.",
        "Until then, the safest approach is to start with something small and see how it goes.",
        "You can send me a question, a text to work on, or a problem that you want to solve.",
        "I can explain, summarise, translate, write code or draft a message for you.",
        "{person} from {company} once said that a good question is half of the answer.",
        "It often helps to name the result that you want and the limits you have to respect.",
    ),
    "say_close": phrases(
        "That should be enough to get you started with {a}.",
        "If you want, I can go deeper into {b}.",
        "Let me know if you would like to see an example.",
    ),
    "say_close_plain": phrases(
        "Just tell me where you would like to start.",
        "I am happy to continue from here.",
    ),
    "say_known": phrases(
        "That is the whole answer; tell me if you would like to see how one gets there.",
        "If you need more background on this, just ask and I will add it.",
    ),
    "say_greeting": phrases(
        "Hello! It is nice to hear from you. What would you like to talk about or work on today?",
        "Hi there! I am ready to help. Tell me what you need, and we can start right away.",
        "Hello, and welcome! Ask me a question or give me a task, and I will do my best to help.",
    ),
    "say_media": phrases(
        "I have looked at what you sent: {media}.",
        "Thank you, this has arrived: {media}.",
    ),
    "say_result": phrases(
        "According to {source}, {facts}.",
        "Here is what {source} returned: {facts}.",
        "I checked with {source}, and the result is clear: {facts}.",
    ),
    "say_result_empty": phrases(
        "The call to {source} finished, but it returned no data that I could pass on to you.",
    ),
    "say_result_error": phrases(
        "The call to {source} did not work: {facts}.",
        "Unfortunately {source} reported a problem: {facts}.",
    ),
    "say_result_close": phrases(
        "That answers your question; tell me if you need more detail.",
        "Let me know if you want me to look up anything else.",
    ),
    "say_item": phrases(
        "Start with {a} and keep the first version simple",
        "Check how {b} changes the outcome before you go on",
        "Write down what you expect from {a}",
        "Ask someone experienced, such as {first}, about {b}",
        "Leave some room for {c}, because it rarely goes as planned",
        "Compare {a} with a simpler alternative",
        "Review {b} once a week and adjust where needed",
        "Keep notes on {a}, so that you can explain your choice later",
        "Look at how others in {city} have dealt with {b}",
        "Drop whatever does not help with {a}",
        "Set a clear limit for the time you spend on {b}",
        "Test your idea of {c} on a small case first",
    ),
    "say_item_plain": phrases(
        "Begin with the smallest useful step",
        "Write down what you want to achieve",
        "Ask {first} or another colleague for a second opinion",
        "Check the outcome before you go on",
        "Keep what works and drop the rest",
        "Leave some time for the unexpected",
        "Review the result after a week",
        "Share what you have learned",
    ),
    "say_list": phrases("Here is a list on {a}:", "These are worth knowing about {a}:"),
    "say_table": phrases("This table sums up the main points on {a}:"),
    "say_poem": phrases(
        "The morning comes without a sound,", "and {a} is all around,",
        "a quiet wind moves through the day", "and takes a word or two away,",
        "but when the evening light is gone,", "a little of it lingers on.",
    ),
    "say_story": phrases(
        "{first} lived in {city} and had thought of one thing for weeks: {a}.",
        "One morning, a letter without a stamp lay in front of the door.",
        'There were only a few words in it: "{a}".',
        "So {first} packed a small bag and left the house without telling anyone.",
        "By evening everything had changed, and yet it felt a little like coming home.",
    ),
    "say_joke": phrases(
        "Why do programmers prefer dark mode? Because light attracts bugs, and they have enough "
        "of those.",
        "Two bytes meet at a bus stop. One asks: are you ill? The other says: no, just feeling a "
        "bit off.",
        "A database query walks into a bar, goes up to two tables and asks: may I join you?",
    ),
    "say_mail": phrases(
        "Subject: {A}\n\nHi {first},\n\nI am writing about {a}. Would you have a moment this week "
        "to "
        "talk it through? I can adapt to your calendar.\n\nBest regards,\n{person}",
        "Subject: A quick question\n\nHi {first},\n\nWould you have twenty minutes this week? I "
        "would "
        "like to go through the next steps with you.\n\nBest regards,\n{person}",
    ),
    "say_code": phrases(
        "This is kept short on purpose; adapt the names to your project.",
        "It has no dependencies, so you can paste it into your project and run it as it is.",
        "Call it with your own data, and add error handling where you need it.",
    ),
    "go_on_new": phrases(
        "The next thing to look at is {a}, because {b} follows from it.",
        "After that, it is worth coming back to {a} and checking how it fits with {b}.",
        "From here on, the details matter more than the general idea.",
    ),
    "go_on_comma": phrases(
        "and with {a} in mind that makes a real difference in practice.",
        "which is why it pays to look closely at {a} before going on.",
        "and that is the part that most people remember.",
    ),
    "go_on_colon": phrases(
        "start with {a}, keep it simple, and build on what works.",
        "take one step at a time and check the outcome before you go on.",
    ),
    "go_on_verb": phrases(
        "best understood through {a}, which shapes nearly everything that follows.",
        "easier to see once you look at one case after the other.",
    ),
    "go_on_article": phrases(
        "part of {a} that matters most, and the rest follows from it.",
        "most important point, and the rest follows from it.",
    ),
    "go_on_other": phrases(
        "with {a} as the starting point, and everything else follows step by step.",
        "in a calm and steady way, one step after the other.",
    ),
    "say_step": phrases(
        "Clarify what the goal is and what a good result looks like.",
        "Get everything ready that you need for {a}.",
        "Start with the simplest version that works.",
        "Check the result and note what could be better.",
        "Change one thing at a time and compare.",
        "Write down what worked, so that you can repeat it.",
    ),
    "say_look": phrases(
        "There is a clear main subject, and the background stays quiet.",
        "Colours and light are even, so the overall impression is calm.",
        "Fine details are hard to make out at this resolution.",
        "If you tell me what you are looking for, I can go into that part.",
    ),
    "text_body": phrases(
        "This is about {a}. Please let me know if you have any questions.",
        "Here is the information that you asked for. Please let me know if anything is missing.",
    ),
    "text_value": phrases(
        "A short note on {a} and {b}", "What to know about {a}", "Details on {a} for {first}",
        "A short note for {first}",
    ),
}  # fmt: skip

EXACT = {
    1: phrases("{one}."),
    2: phrases("Certainly {one}.", "Mostly {one}."),
    3: phrases("Start with {one}.", "Think about {one}.", "Focus on {one}."),
    4: phrases("Begin with {one} today.", "It starts with {one}.", "Keep {one} very simple."),
    5: phrases(
        "{one} works best when simple.", "It mostly depends on {one}.",
        "Good results start with {one}.",
    ),
    6: phrases(
        "A clear view of {one} helps.", "{one} rewards patience and steady work.",
        "Most of it comes from {one}.",
    ),
    7: phrases(
        "Take {one} seriously and check every detail.", "With {one}, small steps often work best.",
        "Nobody masters {one} in a single day.",
    ),
    8: phrases(
        "Everything else follows once you have understood {one}.",
        "{one} looks difficult at first, but practice helps.",
        "Ask early, listen well and keep {one} simple.",
    ),
}  # fmt: skip

HAIKU = {
    0: phrases("An old silent road,", "Mist on the water,"),
    1: phrases("{a} in morning light,", "{a} after the rain,"),
    2: phrases("{a} at daybreak,", "{a} in the rain,"),
    3: phrases("{a} at dawn,", "{a}, so still,"),
    4: phrases("{a} sleeps,", "{a} waits,"),
    7: phrases("a leaf drifts on slow water,", "the wind moves without a word,"),
    5: phrases("then the light is gone.", "quiet takes it back."),
}  # fmt: skip
